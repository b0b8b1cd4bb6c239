import type { ToolCallBlock } from "./block.js";
import { toolCalls } from "./build.js";
import type { Message } from "./message.js";

/** The calls at the end of a history that have no result yet, in their order. */
export function openCalls(messages: readonly Message[]): readonly ToolCallBlock[] {
  let answered: Set<string> | undefined;
  for (let i = messages.length - 1; i >= 0; i--) {
    const message = messages[i];
    if (message?.role === "tool") {
      answered ??= new Set();
      answered.add(message.toolCallId);
    } else {
      const calls = message?.role === "assistant" ? toolCalls(message) : [];
      return answered === undefined ? calls : calls.filter(({ id }) => answered?.has(id) !== true);
    }
  }
  return [];
}
