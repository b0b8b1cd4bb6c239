import { type Block, type Message, toolText } from "@tinyagents/core";

/** A history as lines that a test can state in full. */
export function transcript(messages: readonly Message[]): readonly string[] {
  return messages.map((message) => {
    if (message.role === "tool") {
      return `tool: ${message.name}#${message.toolCallId} ${message.status} ${toolText(message)}`;
    }
    return `${message.role}: ${message.content.map(shown).join(" ")}`;
  });
}

/** How the results of a history came out: `weather#call_1 ok`. */
export function resultStatuses(messages: readonly Message[]): readonly string[] {
  return messages.flatMap((message) =>
    message.role === "tool" ? [`${message.name}#${message.toolCallId} ${message.status}`] : [],
  );
}

function shown(block: Block): string {
  if (block.type === "text") return block.text;
  if (block.type === "tool_call") return `${block.name}#${block.id}(${JSON.stringify(block.args)})`;
  return `[${block.type}]`;
}
