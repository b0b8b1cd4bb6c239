import type { JsonObject } from "@tinyagents/core";
import type { Problem } from "../problem.js";
import { objectsOf, wrong } from "./wrong.js";

/** One message as far as its order among the others goes. A text alone has no blocks that matter here. */
export interface Turn {
  readonly role: string;
  readonly blocks: readonly JsonObject[];
}

/** The messages of a request, whatever they are. */
export function turnsOf(messages: readonly JsonObject[]): readonly Turn[] {
  return messages.map(({ role, content }) => ({ role: String(role), blocks: objectsOf(content) }));
}

/**
 * What the API refuses in how calls and results stand to each other: results come first in the next message, one per
 * call, and none without a call. Messages of one role that follow each other are not joined first, which the API does.
 * @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls
 */
export function* checkTurns(turns: readonly Turn[]): Generator<Problem> {
  const used = new Set<string>();
  for (const [at, { role, blocks }] of turns.entries()) {
    const asked = role === "user" ? callIds(turns[at - 1]) : [];
    yield* checkResults(blocks, asked, `messages.${at}`);
    yield* checkServerResults(turns, at);
    for (const id of callIds(turns[at])) {
      if (used.has(id)) yield wrong(`messages.${at}`, `\`tool_use\` ids must be unique, and there are two of ${id}`);
      used.add(id);
    }
    yield* checkAnswered(turns, at);
  }
}

function callIds(turn: Turn | undefined): readonly string[] {
  const calls = turn?.role === "assistant" ? turn.blocks.filter(({ type }) => type === "tool_use") : [];
  return calls.map(({ id }) => String(id));
}

function* checkResults(blocks: readonly JsonObject[], asked: readonly string[], place: string): Generator<Problem> {
  const seen = new Set<string>();
  for (const [at, { type, tool_use_id: id }] of blocks.entries()) {
    if (type !== "tool_result" || typeof id !== "string") continue;
    const where = `${place}.content.${at}`;
    if (!asked.includes(id)) {
      const rule = "Each `tool_result` block must have a corresponding `tool_use` block in the previous message.";
      yield wrong(where, `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. ${rule}`);
    } else if (seen.has(id)) {
      const rule = "each tool_use must have a single result.";
      yield wrong(where, `${rule} Found multiple \`tool_result\` blocks with id: ${id}`);
    }
    seen.add(id);
  }
}

function* checkAnswered(turns: readonly Turn[], at: number): Generator<Problem> {
  const next = turns[at + 1];
  const blocks = next?.role === "user" ? next.blocks : [];
  const end = blocks.findIndex(({ type }) => type !== "tool_result");
  const first = end === -1 ? blocks : blocks.slice(0, end);
  const answered = new Set(first.map(({ tool_use_id: id }) => id));
  const open = callIds(turns[at]).filter((id) => !answered.has(id));
  if (open.length === 0) return;
  const rule = "Each `tool_use` block must have a corresponding `tool_result` block in the next message.";
  const found = "`tool_use` ids were found without `tool_result` blocks immediately after";
  yield wrong(`messages.${at}`, `${found}: ${open.join(", ")}. ${rule}`);
}

/** Results of the API's own tools stand after their calls, in the same run of assistant messages. */
function* checkServerResults(turns: readonly Turn[], at: number): Generator<Problem> {
  const before = new Set<unknown>(
    turns
      .slice(0, at)
      .flatMap(({ blocks }) => blocks.flatMap(({ type, id }) => (type === "server_tool_use" ? [id] : []))),
  );
  for (const [place, { type, id, tool_use_id: of }] of (turns[at]?.blocks ?? []).entries()) {
    if (type === "server_tool_use") before.add(id);
    if (type === "tool_result" || !String(type).endsWith("_tool_result") || before.has(of)) continue;
    const rule = `Each \`${String(type)}\` block must have a corresponding \`server_tool_use\` block before it.`;
    yield wrong(
      `messages.${at}.content.${place}`,
      `unexpected \`tool_use_id\` found in \`${String(type)}\` blocks: ${String(of)}. ${rule}`,
    );
  }
}
