import {
  type AssistantMessage,
  approximateTokens,
  type Block,
  type Capability,
  isMedia,
  type JsonObject,
  type MediaBlock,
  type Message,
  type ModelWarning,
  mediaNote,
  oncePer,
  plainText,
  type ToolCallBlock,
  type ToolMessage,
  type UserMessage,
} from "@tinyagents/core";
import { PROVIDER } from "./profile.js";
import { imageData, unseenImage } from "./to-media.js";

/** A message as it stands on the wire, made once: histories grow, and old messages stay as they are. */
interface Converted {
  /** Absent for a message with nothing to send. */
  readonly wire?: JsonObject;
  /** Images of a tool result: they follow the batch in a user message, where models look for images. */
  readonly moved?: readonly string[];
  readonly needs?: readonly Capability[];
  readonly warnings?: readonly ModelWarning[];
  /** Of the text, estimated. */
  readonly tokens: number;
}

/** A history on the wire, with what it asks of the model. */
export interface WireHistory {
  readonly messages: readonly JsonObject[];
  readonly needs: ReadonlySet<Capability>;
  readonly warnings: readonly ModelWarning[];
  /** What the model cannot help reading, estimated: images and earlier reasoning are left out. */
  readonly tokens: number;
}

/** What the frame of a message costs, in tokens: role and separators. */
const FRAME_TOKENS = 4;

const NO_NAMES: ModelWarning = {
  code: "unsupported_setting",
  setting: "messages",
  message: "Ollama knows no names of speakers; they were left out.",
};

/** Puts messages on the wire. Keeps what it made for as long as the message lives. */
export class MessageConverter {
  readonly #sendReasoning: boolean;
  readonly #once = oncePer((message: Message) => this.#make(message));

  constructor(sendReasoning: boolean) {
    this.#sendReasoning = sendReasoning;
  }

  /** @throws `invalid_request` when a user shows an image by its URL. */
  convert(history: readonly Message[]): WireHistory {
    const messages: JsonObject[] = [];
    const needs = new Set<Capability>();
    const warnings = new Set<ModelWarning>();
    let tokens = 0;
    let moved: string[] = [];
    const placeMoved = (): void => {
      if (moved.length > 0) messages.push({ role: "user", content: "Images that the tools returned:", images: moved });
      moved = [];
    };
    for (const message of history) {
      if (message.role !== "tool") placeMoved();
      if (message.role === "system") needs.add("system_messages");
      const converted = this.#once(message);
      tokens += converted.tokens;
      if (converted.wire !== undefined) messages.push(converted.wire);
      if (converted.moved !== undefined) moved.push(...converted.moved);
      for (const need of converted.needs ?? []) needs.add(need);
      for (const warning of converted.warnings ?? []) warnings.add(warning);
    }
    placeMoved();
    return { messages, needs, warnings: [...warnings], tokens };
  }

  #make(message: Message): Converted {
    switch (message.role) {
      case "system":
        return plain("system", joinTexts(message.content));
      case "user":
        return fromUser(message);
      case "tool":
        return fromTool(message);
      case "assistant":
        return this.#answer(message);
    }
  }

  #answer(message: AssistantMessage): Converted {
    const calls: JsonObject[] = [];
    let text = "";
    let thinking = "";
    for (const block of message.content) {
      if (block.type === "tool_call") calls.push(toCall(block));
      else if (block.type === "reasoning") thinking += own(block) === undefined ? "" : block.text;
      else text += plainText(block);
    }
    if (text.trim() === "") text = "";
    if (text === "" && calls.length === 0) return NOTHING;
    const wire = {
      ...own(message),
      role: "assistant",
      content: text,
      ...(this.#sendReasoning && thinking !== "" ? { thinking } : {}),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    };
    return { wire, tokens: tokensOf(text) + (calls.length === 0 ? 0 : approximateTokens(JSON.stringify(calls))) };
  }
}

const NOTHING: Converted = { tokens: 0 };

function plain(role: "system" | "user", content: string): Converted {
  return content === "" ? NOTHING : { wire: { role, content }, tokens: tokensOf(content) };
}

function fromUser(message: UserMessage): Converted {
  const images: string[] = [];
  const needs: Capability[] = [];
  const warnings: ModelWarning[] = message.name === undefined ? [] : [NO_NAMES];
  const texts: Block[] = [];
  for (const block of message.content) {
    if (!isMedia(block)) texts.push(block);
    else if (block.type === "image") {
      const data = imageData(block);
      if (data === undefined) throw unseenImage(block);
      images.push(data);
      needs.push("image_input");
    } else {
      texts.push(block);
      needs.push(`${block.type}_input`);
      warnings.push(noted(block));
    }
  }
  const content = joinTexts(texts);
  if (content === "" && images.length === 0) return { ...NOTHING, warnings };
  const wire = { role: "user", content, ...(images.length === 0 ? {} : { images }) };
  return { wire, needs, warnings, tokens: tokensOf(content) };
}

function fromTool(message: ToolMessage): Converted {
  const moved: string[] = [];
  const needs: Capability[] = [];
  const warnings: ModelWarning[] = [];
  const lines: string[] = [];
  for (const block of message.content) {
    const data = block.type === "image" ? imageData(block) : undefined;
    if (data !== undefined) {
      moved.push(data);
      needs.push("image_input");
      lines.push("[image: see the next user message]");
    } else {
      if (isMedia(block)) warnings.push(noted(block));
      lines.push(plainText(block));
    }
  }
  const content = lines.join("\n");
  const wire = { role: "tool", content, tool_name: message.name, tool_call_id: message.toolCallId };
  return { wire, needs, warnings, tokens: tokensOf(content), ...(moved.length === 0 ? {} : { moved }) };
}

/** Arguments that could not be parsed are `{}` here: the wire has objects alone. */
function toCall(block: ToolCallBlock): JsonObject {
  const { function: inner, ...outer } = own(block) ?? {};
  const call = { ...(inner as JsonObject | undefined), name: block.name, arguments: block.args };
  return { ...outer, id: block.id, function: call };
}

/** What this provider attached, and gets back. */
function own(from: Block | AssistantMessage): JsonObject | undefined {
  return from.providerMetadata?.[PROVIDER];
}

function noted(block: MediaBlock): ModelWarning {
  const message = `Ollama takes images as bytes and no other media; a note stands in place of this ${block.type}: ${mediaNote(block)}`;
  return { code: "unsupported_setting", setting: "messages", message };
}

function joinTexts(content: readonly Block[]): string {
  return content
    .map(plainText)
    .filter((text) => text.trim() !== "")
    .join("\n");
}

function tokensOf(text: string): number {
  return FRAME_TOKENS + approximateTokens(text);
}
