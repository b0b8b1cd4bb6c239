import {
  canonicalJson,
  type JsonObject,
  type JsonValue,
  type Message,
  type ToolMessage,
  text,
  toolCalls,
  toolText,
  toolValue,
} from "@tinyagents/core";

/** A tool call of this turn and what came of it. */
export interface FinishedCall {
  readonly name: string;
  readonly args: JsonObject;
  readonly ok: boolean;
  /** The result as a value; text where the tool gave text. */
  readonly value: JsonValue | undefined;
  /** The result as text: of a failed call, what went wrong. */
  readonly text: string;
}

/** What has happened since the last question. */
export interface Turn {
  /** The text of the last user message; empty when there is none. */
  readonly question: string;
  /** In the order in which they were asked for. */
  readonly calls: readonly FinishedCall[];
}

/** Reads a history from its end back to the last question, and no further. */
export function readTurn(messages: readonly Message[]): Turn {
  const results = new Map<string, ToolMessage>();
  const batches: FinishedCall[][] = [];
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at];
    if (message?.role === "user") return { question: text(message), calls: batches.reverse().flat() };
    if (message?.role === "tool") results.set(message.toolCallId, message);
    if (message?.role === "assistant") batches.push(toolCalls(message).map((each) => finished(each, results)));
  }
  return { question: "", calls: batches.reverse().flat() };
}

/** The earlier call of this turn with the same tool and arguments, if there is one. */
export function sameCall(turn: Turn, name: string, args: JsonObject): FinishedCall | undefined {
  const wanted = canonicalJson(args);
  return turn.calls.find((each) => each.name === name && canonicalJson(each.args) === wanted);
}

function finished(
  { id, name, args }: { readonly id: string; readonly name: string; readonly args: JsonObject },
  results: ReadonlyMap<string, ToolMessage>,
): FinishedCall {
  const result = results.get(id);
  if (result === undefined) return { name, args, ok: false, value: undefined, text: "there is no result" };
  return { name, args, ok: !result.isError, value: toolValue(result), text: toolText(result) };
}
