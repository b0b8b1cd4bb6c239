import {
  type JsonValue,
  type Message,
  readArray,
  readObject,
  readString,
  TinyAgentsError,
  type ToolMessage,
} from "@tinyagents/core";

const ROLES: ReadonlySet<string> = new Set(["system", "user", "assistant", "tool"]);

/** The error for stored data that is not what it should be. */
export function corrupt(place: string, reason: string): TinyAgentsError<"corrupt_data"> {
  return new TinyAgentsError("corrupt_data", `Cannot read ${place}: ${reason}.`, { details: { place, reason } });
}

/** A stored history. @throws `corrupt_data` that names the message. */
export function readMessages(value: unknown, place: string): readonly Message[] {
  const messages = readArray(value, place);
  for (let i = 0; i < messages.length; i++) readMessage(messages[i], `${place}[${i}]`);
  return messages as unknown as readonly Message[];
}

/** The stored result of a tool call. @throws `corrupt_data` */
export function readToolMessage(value: unknown, place: string): ToolMessage {
  const message = readMessage(value, place);
  if (message.role !== "tool") throw corrupt(`${place}.role`, `"tool" is expected, "${message.role}" found`);
  return message;
}

/** Checks what every reader of a message relies on. What blocks hold besides their type is theirs. */
function readMessage(value: unknown, place: string): Message {
  const message = readObject(value, place);
  const role = readString(message.role, `${place}.role`);
  if (!ROLES.has(role)) throw corrupt(`${place}.role`, `"${role}" is no role of a message`);
  readArray(message.content, `${place}.content`).forEach((block, index) => {
    readBlock(block, `${place}.content[${index}]`);
  });
  if (role === "tool") {
    readString(message.toolCallId, `${place}.toolCallId`);
    readString(message.name, `${place}.name`);
    readString(message.status, `${place}.status`);
  }
  return message as unknown as Message;
}

function readBlock(value: JsonValue, place: string): void {
  const block = readObject(value, place);
  const type = readString(block.type, `${place}.type`);
  if (type === "text") readString(block.text, `${place}.text`);
  if (type !== "tool_call") return;
  readString(block.id, `${place}.id`);
  readString(block.name, `${place}.name`);
  readObject(block.args, `${place}.args`);
}
