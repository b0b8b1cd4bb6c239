import type { JsonValue } from "../json.js";
import type { Block, ToolCallBlock } from "./block.js";
import type { AssistantMessage, Message, SystemMessage, ToolMessage, ToolStatus, UserMessage } from "./message.js";
import { messageFault } from "./read-message.js";

/** What an edge of the API takes for content: a string becomes one text block. */
export type Content = string | readonly Block[];

/** The short form of a message that chat front ends pass around. */
export interface ChatMessage {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

/** What a run can be asked with: one user message as text, or a history. */
export type AgentInput = string | Message | ChatMessage | readonly (Message | ChatMessage)[];

/** Content as blocks. An empty string is no block. */
export function blocks(content: Content): readonly Block[] {
  if (typeof content !== "string") return content;
  return content === "" ? [] : [{ type: "text", text: content }];
}

/** Instructions, from a text or from blocks. */
export function systemMessage(content: Content): SystemMessage {
  return { role: "system", content: blocks(content) };
}

/** What a person says, from a text or from blocks. */
export function userMessage(content: Content): UserMessage {
  return { role: "user", content: blocks(content) };
}

/** What a model answered, from a text or from blocks. */
export function assistantMessage(content: Content): AssistantMessage {
  return { role: "assistant", content: blocks(content) };
}

/** A result for a call. `status` other than `ok` makes it an error that the model is told. */
export function toolMessage(
  call: { readonly id: string; readonly name: string },
  content: Content,
  status: ToolStatus = "ok",
): ToolMessage {
  return {
    role: "tool",
    toolCallId: call.id,
    name: call.name,
    content: blocks(content),
    isError: status !== "ok",
    status,
  };
}

/** The canonical form of a short message. Nothing is lost: the text becomes one text block. */
export function upgradeMessage(message: Message | ChatMessage): Message {
  if (typeof message.content !== "string") return message as Message;
  return { ...message, content: blocks(message.content) } as Message;
}

/**
 * Input in whatever form, as messages.
 * @throws TypeError that names the place, for what is no message, holds what is no JSON, and for a list inside an object.
 */
export function toMessages(input: AgentInput): readonly Message[] {
  if (typeof input === "string") return [userMessage(input)];
  if (Array.isArray((input as { readonly messages?: unknown } | null)?.messages)) {
    throw new TypeError("input: a list of messages goes in directly, not as { messages }");
  }
  const list = (Array.isArray(input) ? input : [input]) as readonly (Message | ChatMessage)[];
  return list.map((message, index) => {
    const known =
      message?.role === "system" ||
      message?.role === "user" ||
      message?.role === "assistant" ||
      message?.role === "tool";
    if (!known) throw new TypeError(`input[${index}]: a message has a role: system, user, assistant or tool`);
    if (typeof message.content !== "string" && !Array.isArray(message.content)) {
      throw new TypeError(`input[${index}].content: a string or an array of blocks is expected`);
    }
    return wholeMessage(upgradeMessage(message), `input[${index}]`);
  });
}

/** @throws TypeError for a message that could not be stored and read back. */
function wholeMessage(message: Message, place: string): Message {
  const fault = messageFault(message, place);
  if (fault !== undefined) throw new TypeError(fault);
  return message;
}

/** The tool calls of a message, in the model's order. Most messages have none, and then nothing is made. */
export function toolCalls(message: Message): readonly ToolCallBlock[] {
  const { content } = message;
  let calls: ToolCallBlock[] | undefined;
  // An index and no iterator: until an engine has optimized this, an iterator makes an object per block.
  for (let i = 0; i < content.length; i++) {
    const block = content[i];
    if (block?.type !== "tool_call") continue;
    if (calls === undefined) calls = [block];
    else calls.push(block);
  }
  return calls ?? NO_CALLS;
}

const NO_CALLS: readonly ToolCallBlock[] = [];

/** The visible text of a message: its text blocks, joined. */
export function text(message: { readonly content: readonly Block[] }): string {
  const { content } = message;
  let joined = "";
  for (let i = 0; i < content.length; i++) {
    const block = content[i];
    if (block?.type === "text") joined += block.text;
  }
  return joined;
}

/** The refusal of a message, or nothing when the model did not decline. */
export function refusal(message: { readonly content: readonly Block[] }): string | undefined {
  let joined: string | undefined;
  for (const block of message.content) if (block.type === "refusal") joined = (joined ?? "") + block.text;
  return joined;
}

/** Tool output as a reader of plain text gets it: text as it is, values as JSON, media as a bounded note. */
export function toolText(message: ToolMessage): string {
  return message.content.map(plainText).join("\n");
}

function plainText(block: Block): string {
  if (block.type === "text" || block.type === "refusal" || block.type === "reasoning") return block.text;
  if (block.type === "json") return JSON.stringify(block.value);
  if (block.type === "citation") return block.text ?? "[citation]";
  return `[${block.type}]`;
}

/** The value that a tool returned: of a `json` block, else its text. Nothing for media. */
export function toolValue(message: ToolMessage): JsonValue | undefined {
  const [block] = message.content;
  if (block?.type === "json") return block.value;
  return block?.type === "text" ? block.text : undefined;
}
