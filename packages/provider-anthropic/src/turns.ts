import type { JsonObject } from "@tinyagents/core";

/** One turn of a conversation on the wire. */
export interface Turn {
  readonly role: "user" | "assistant" | "system";
  readonly content: readonly JsonObject[];
}

/** Turns of one role that stand side by side become one. */
export function mergeTurns(turns: readonly Turn[]): readonly Turn[] {
  const merged: { role: Turn["role"]; content: JsonObject[] }[] = [];
  for (const { role, content } of turns) {
    const last = merged.at(-1);
    if (content.length === 0) continue;
    if (last?.role === role) last.content.push(...content);
    else merged.push({ role, content: [...content] });
  }
  return merged;
}

/** Whether a model that takes system messages in the middle takes the one at `at`: after a user's turn, before an answer. */
export function isWellPlaced(turns: readonly Turn[], at: number): boolean {
  return turns[at - 1]?.role === "user" && turns[at + 1]?.role !== "user";
}

/** A system turn as text that the user's turn can hold. */
export function asUserTurn({ content }: Turn): Turn {
  const lines = content.map(({ text }) => String(text)).join("\n");
  return { role: "user", content: [{ type: "text", text: `<system>\n${lines}\n</system>` }] };
}

/** Results stand first in the turn that follows their calls. */
export function resultsFirst(turn: Turn): Turn {
  if (turn.role !== "user") return turn;
  const isResult = ({ type }: JsonObject): boolean => type === "tool_result";
  const results = turn.content.filter(isResult);
  if (results.length === 0) return turn;
  return { role: "user", content: [...results, ...turn.content.filter((block) => !isResult(block))] };
}

/** No answer may end in a thought. */
export function withoutTrailingThought(turn: Turn): Turn {
  if (turn.role !== "assistant") return turn;
  const last = turn.content.findLastIndex((block) => !isThought(block));
  return last === turn.content.length - 1 ? turn : { role: "assistant", content: turn.content.slice(0, last + 1) };
}

/** An answer that the model is to go on with may not end in white space. */
export function withoutTrailingSpace(turns: readonly Turn[]): readonly Turn[] {
  const last = turns.at(-1);
  const block = last?.content.at(-1);
  if (last?.role !== "assistant" || block?.type !== "text") return turns;
  const trimmed = { ...block, text: String(block.text).trimEnd() };
  return [...turns.slice(0, -1), { role: "assistant", content: [...last.content.slice(0, -1), trimmed] }];
}

export function isThought({ type }: JsonObject): boolean {
  return type === "thinking" || type === "redacted_thinking";
}
