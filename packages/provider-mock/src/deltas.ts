import type { FinishReason, ModelDelta, ModelRequest, ModelWarning, Usage } from "@tinyagents/core";
import type { Reply } from "./reply.js";
import { splitWords } from "./settings.js";

/** How a reply ends. */
export interface Ending {
  readonly finishReason: FinishReason;
  readonly usage: Usage;
  readonly warnings: readonly ModelWarning[];
}

/** A reply in fragments: words of text, and arguments in pieces. */
export function* fragments(reply: Reply, request: ModelRequest): Generator<ModelDelta> {
  if (reply.type === "answer") {
    for (const text of splitWords(reply.text)) yield { type: "text", index: 0, text };
    return;
  }
  for (const [index, { name, args }] of reply.calls.entries()) {
    yield { type: "tool_call_start", index, id: callId(request, index), name };
    for (const piece of splitWords(JSON.stringify(args))) yield { type: "tool_call_args", index, args: piece };
    yield { type: "tool_call_end", index };
  }
}

/** The same reply in whole blocks. */
export function* wholeBlocks(reply: Reply, request: ModelRequest): Generator<ModelDelta> {
  if (reply.type === "answer") {
    if (reply.text !== "") yield { type: "block", index: 0, block: { type: "text", text: reply.text } };
    return;
  }
  for (const [index, { name, args }] of reply.calls.entries()) {
    yield { type: "block", index, block: { type: "tool_call", id: callId(request, index), name, args } };
  }
}

export function* ending({ finishReason, usage, warnings }: Ending): Generator<ModelDelta> {
  yield { type: "usage", usage };
  yield { type: "finish", finishReason, ...(warnings.length === 0 ? {} : { warnings }) };
}

/** Unique in its history: a history only grows between two calls of one run. */
function callId(request: ModelRequest, index: number): string {
  return `call_${request.messages.length}_${index + 1}`;
}
