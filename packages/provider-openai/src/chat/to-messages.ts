import {
  type AssistantMessage,
  type Block,
  type Capability,
  isMedia,
  type JsonObject,
  type Message,
  type ModelWarning,
  oncePer,
  plainText,
  type ToolCallBlock,
  type ToolMessage,
} from "@tinyagents/core";
import { nineLetterId, wireId } from "../wire-id.js";
import type { ChatQuirks } from "./quirks.js";
import { toMediaPart } from "./to-media.js";

/** A message as it stands on the wire, made once: histories grow, and old messages stay as they are. */
interface Converted {
  /** Absent for a message with nothing to send. */
  readonly wire?: JsonObject;
  /** Media of a tool result: they follow the batch in a user message, since tool messages hold text alone. */
  readonly moved?: readonly JsonObject[];
  readonly needs?: readonly Capability[];
  readonly warnings?: readonly ModelWarning[];
}

/** A history on the wire, with what it asks of the model. */
export interface WireHistory {
  readonly messages: readonly JsonObject[];
  readonly needs: ReadonlySet<Capability>;
  readonly warnings: readonly ModelWarning[];
}

/** Puts messages on the wire. Keeps what it made for as long as the message lives. */
export class MessageConverter {
  readonly #provider: string;
  readonly #quirks: ChatQuirks;
  readonly #once = oncePer((message: Message) => this.#make(message));

  constructor(provider: string, quirks: ChatQuirks) {
    this.#provider = provider;
    this.#quirks = quirks;
  }

  convert(history: readonly Message[]): WireHistory {
    const messages: JsonObject[] = [];
    const needs = new Set<Capability>();
    const warnings: ModelWarning[] = [];
    let moved: JsonObject[] = [];
    const placeMoved = (): void => {
      if (moved.length > 0) messages.push({ role: "user", content: moved });
      moved = [];
    };
    for (const message of history) {
      if (message.role !== "tool") placeMoved();
      if (message.role === "system") needs.add("system_messages");
      const converted = this.#once(message);
      if (converted.wire !== undefined) messages.push(converted.wire);
      if (converted.moved !== undefined) moved.push(...converted.moved);
      for (const need of converted.needs ?? []) needs.add(need);
      if (converted.warnings !== undefined) warnings.push(...converted.warnings);
    }
    placeMoved();
    return { messages, needs, warnings };
  }

  #make(message: Message): Converted {
    switch (message.role) {
      case "system":
        return this.#spoken("system", message.content);
      case "user":
        return this.#spoken("user", message.content, message.name);
      case "tool":
        return this.#result(message);
      case "assistant":
        return this.#answer(message);
    }
  }

  #spoken(role: "system" | "user", content: readonly Block[], name?: string): Converted {
    const { parts, needs, warnings } = this.#parts(content, role === "user");
    const [only] = parts;
    if (only === undefined) return {};
    const plain = role === "system" ? parts.every(isPlainText) : parts.length === 1 && isPlainText(only);
    const wireName = name !== undefined && /^[^\s<|\\/>]{1,64}$/.test(name) ? { name } : {};
    if (name !== undefined && wireName.name === undefined) {
      const reason = "A speaker's name has no spaces and none of <|\\/>; it was left out.";
      warnings.push({ code: "unsupported_setting", setting: "messages", message: reason });
    }
    const wire = { role, content: plain ? parts.map(({ text }) => text).join("\n") : parts, ...wireName };
    return { wire, needs, warnings };
  }

  #result(message: ToolMessage): Converted {
    const moved: JsonObject[] = [];
    const { parts, needs, warnings } = this.#parts(message.content, true);
    const lines: string[] = [];
    for (const part of parts) {
      if (typeof part.text === "string") lines.push(part.text);
      else {
        if (moved.length === 0) moved.push({ type: "text", text: `Media that ${message.name} returned:` });
        moved.push(part);
        lines.push(`[${String(part.type)} ${moved.length - 1}: see the next user message]`);
      }
    }
    const wire = { role: "tool", tool_call_id: this.#wireId(message.toolCallId), content: lines.join("\n") };
    return { wire, needs, warnings, ...(moved.length === 0 ? {} : { moved }) };
  }

  #answer(message: AssistantMessage): Converted {
    const calls: JsonObject[] = [];
    let text = "";
    let refusal = "";
    let thought = "";
    for (const block of message.content) {
      if (block.type === "tool_call") calls.push(this.#call(block));
      else if (block.type === "refusal") refusal += block.text;
      else if (block.type === "reasoning") thought += this.#own(block) === undefined ? "" : block.text;
      else text += plainText(block);
    }
    if (text.trim() === "") text = "";
    if (text === "" && refusal === "" && calls.length === 0) return {};
    const { emptyContent = null, reasoningField, reasoningWithCalls = false } = this.#quirks;
    const wire: { [key: string]: JsonObject[string] } = {
      role: "assistant",
      content: text === "" ? emptyContent : text,
    };
    if (refusal !== "") wire.refusal = refusal;
    if (calls.length > 0) wire.tool_calls = calls;
    const mustThink = reasoningWithCalls && calls.length > 0;
    if (reasoningField !== undefined && (thought !== "" || mustThink)) wire[reasoningField] = thought;
    return { wire: { ...wire, ...this.#returned(message) } };
  }

  /** Fields of the answer that the server wants back. */
  #returned({ providerMetadata }: AssistantMessage): JsonObject {
    const own = providerMetadata?.[this.#provider] ?? {};
    const fields = (this.#quirks.returnedFields ?? []).filter((field) => own[field] !== undefined);
    return Object.fromEntries(fields.map((field) => [field, own[field] ?? null]));
  }

  /** Arguments that could not be parsed are `{}` here: the server would refuse their text, now and ever after. */
  #call(block: ToolCallBlock): JsonObject {
    const call = { name: block.name, arguments: JSON.stringify(block.args) };
    return { ...this.#own(block), id: this.#wireId(block.id), type: "function", function: call };
  }

  #parts(
    content: readonly Block[],
    mediaAllowed: boolean,
  ): Required<Pick<Converted, "needs">> & {
    readonly parts: readonly JsonObject[];
    readonly warnings: ModelWarning[];
  } {
    const parts: JsonObject[] = [];
    const needs: Capability[] = [];
    const warnings: ModelWarning[] = [];
    for (const block of content) {
      if (isMedia(block) && mediaAllowed) {
        const medium = toMediaPart(block, this.#provider);
        if ("part" in medium) {
          parts.push({ ...this.#own(block), ...medium.part });
          needs.push(medium.needs);
        } else {
          parts.push({ type: "text", text: medium.note });
          warnings.push(medium.warning);
        }
      } else {
        const text = plainText(block);
        if (text.trim() !== "") parts.push({ ...this.#own(block), type: "text", text });
      }
    }
    return { parts, needs, warnings };
  }

  #wireId(id: string): string {
    return this.#quirks.toolCallIds === "nine" ? nineLetterId(id) : wireId(id);
  }

  /** What this provider attached, or is to be told with the block. */
  #own(block: Block): JsonObject | undefined {
    return block.providerMetadata?.[this.#provider];
  }
}

function isPlainText(part: JsonObject): boolean {
  return part.type === "text" && Object.keys(part).length === 2;
}
