import type { FinishReason, ModelDelta, ModelRequest, ModelWarning, ToolCallBlock, Usage } from "@tinyagents/core";
import type { MockReply } from "./reply.js";
import { splitWords } from "./settings.js";

/** Arguments come in pieces of a few characters. */
const ARGUMENTS_PIECE = /.{1,12}/gsu;

/** How a reply ends. */
export interface Ending {
  readonly finishReason: FinishReason;
  readonly usage: Usage;
  readonly warnings: readonly ModelWarning[];
}

/** A reply in fragments: words of text, and arguments in pieces. */
export function* fragments(reply: MockReply, request: ModelRequest): Generator<ModelDelta> {
  for (const text of splitWords(reply.text ?? "")) yield { type: "text", index: 0, text };
  for (const [index, { id, name, args }] of callsOf(reply, request)) {
    yield { type: "tool_call_start", index, id, name };
    for (const [piece] of JSON.stringify(args).matchAll(ARGUMENTS_PIECE))
      yield { type: "tool_call_args", index, args: piece };
    yield { type: "tool_call_end", index };
  }
}

/** The same reply in whole blocks. */
export function* wholeBlocks(reply: MockReply, request: ModelRequest): Generator<ModelDelta> {
  const { text = "" } = reply;
  if (text !== "") yield { type: "block", index: 0, block: { type: "text", text } };
  for (const [index, block] of callsOf(reply, request)) yield { type: "block", index, block };
}

export function* ending({ finishReason, usage, warnings }: Ending): Generator<ModelDelta> {
  yield { type: "usage", usage };
  yield { type: "finish", finishReason, ...(warnings.length === 0 ? {} : { warnings }) };
}

/** Calls by index, after the text, which has 0. A history grows between two calls of one run, so ids do not repeat. */
function callsOf(reply: MockReply, { messages }: ModelRequest): readonly (readonly [number, ToolCallBlock])[] {
  if (reply.type === "answer") return [];
  return reply.calls.map(({ name, args, id }, at) => [
    at + 1,
    { type: "tool_call", id: id ?? `call_${messages.length}_${at + 1}`, name, args },
  ]);
}
