import {
  type AssistantMessage,
  type Block,
  type Capability,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Message,
  type ModelWarning,
  oncePer,
  plainText,
  type ToolMessage,
  type UserMessage,
} from "@tinyagents/core";
import { wireId } from "../wire-id.js";
import { toParts } from "./to-parts.js";

/** A message as items, made once: histories grow, and old messages stay as they are. */
interface Converted {
  readonly items: readonly JsonObject[];
  readonly needs?: readonly Capability[];
  readonly warnings?: readonly ModelWarning[];
}

/** A history as input. */
export interface WireInput {
  /** The system messages that it begins with. They are not part of what the server keeps. */
  readonly instructions: string | undefined;
  readonly items: readonly JsonObject[];
  readonly needs: ReadonlySet<Capability>;
  readonly warnings: readonly ModelWarning[];
}

/** Puts messages on the wire of the Responses API. Keeps what it made for as long as the message lives. */
export class InputConverter {
  readonly #provider: string;
  readonly #store: boolean;
  readonly #once = oncePer((message: Message) => this.#make(message));

  /** `store`: the server keeps answers, and knows their items by id. */
  constructor(provider: string, store: boolean) {
    this.#provider = provider;
    this.#store = store;
  }

  /** `after`: the id of a response that the server keeps; what it knows is not sent again. */
  convert(history: readonly Message[], after: string | undefined): WireInput {
    const needs = new Set<Capability>();
    const warnings: ModelWarning[] = [];
    const items: JsonObject[] = [];
    const start = history.findIndex(({ role }) => role !== "system");
    const body = start === -1 ? [] : history.slice(Math.max(start, placeAfter(history, after)));
    const instructions = history.slice(0, start === -1 ? history.length : start).map(textOfMessage);
    if (instructions.length > 0) needs.add("system_messages");
    for (const message of body) {
      const converted = this.#once(message);
      items.push(...converted.items);
      for (const need of converted.needs ?? []) needs.add(need);
      if (converted.warnings !== undefined) warnings.push(...converted.warnings);
    }
    const said = instructions.filter((text) => text.trim() !== "").join("\n");
    return { instructions: said === "" ? undefined : said, items, needs, warnings };
  }

  #make(message: Message): Converted {
    switch (message.role) {
      case "system": {
        const text = textOfMessage(message);
        const items = text.trim() === "" ? [] : [{ role: "system", content: text }];
        return { items, needs: ["system_messages"] };
      }
      case "user":
        return this.#said(message);
      case "tool":
        return this.#result(message);
      case "assistant":
        return { items: this.#answer(message) };
    }
  }

  #said({ content, name }: UserMessage): Converted {
    const { parts, needs, warnings } = toParts(content, this.#provider);
    const own = content.map((block) => this.#ownItem(block)).filter((item) => item !== undefined);
    const unnamed: readonly ModelWarning[] =
      name === undefined
        ? []
        : [
            {
              code: "unsupported_setting",
              setting: "messages",
              message: "A speaker's name has no place; it was left out.",
            },
          ];
    const items = [...(parts.length === 0 ? [] : [{ role: "user", content: parts }]), ...own];
    return { items, needs, warnings: [...warnings, ...unnamed] };
  }

  #result({ toolCallId, content }: ToolMessage): Converted {
    const { parts, needs, warnings } = toParts(content, this.#provider);
    const plain = parts.every(({ type }) => type === "input_text");
    const output = plain ? parts.map(({ text }) => text).join("\n") : parts;
    return { items: [{ type: "function_call_output", call_id: wireId(toolCallId), output }], needs, warnings };
  }

  /**
   * An answer as the items that it came as. A thought goes back only whole: encrypted, or by its id where the server
   * keeps it; and only before the item that came of it. Items name their ids only together with their thoughts, since
   * the server knows which belong together, and refuses one without the other.
   */
  #answer(message: AssistantMessage): readonly JsonObject[] {
    const content = message.content.filter((block) => block.type === "reasoning" || this.#hasItem(block));
    const last = content.findLastIndex(({ type }) => type !== "reasoning");
    const thoughts = content.filter((block, at) => at < last && block.type === "reasoning");
    const named = thoughts.length > 0 && thoughts.every((block) => this.#thought(block) !== undefined);
    const items: JsonObject[] = [];
    let before: JsonValue | undefined;
    for (const [at, block] of content.entries()) {
      const { id } = this.#item(block);
      if (block.type === "reasoning") {
        const thought = named && at < last ? this.#thought(block) : undefined;
        if (thought !== undefined) items.push(thought);
      } else this.#addAnswer(block, { named, goesOn: id === before }, items);
      before = id;
    }
    return items;
  }

  #hasItem(block: Block): boolean {
    return block.type === "tool_call" || this.#ownItem(block) !== undefined || toAnswerPart(block) !== undefined;
  }

  /** `named`: with the ids of items. `goesOn`: it is of the same item as the block before it. */
  #addAnswer(block: Block, { named, goesOn }: { named: boolean; goesOn: boolean }, items: JsonObject[]): void {
    const item = named ? this.#item(block) : withoutIdentity(this.#item(block));
    if (block.type === "tool_call") {
      const { id, name, args } = block;
      items.push({ ...item, type: "function_call", call_id: wireId(id), name, arguments: JSON.stringify(args) });
      return;
    }
    const own = this.#ownItem(block);
    if (own !== undefined) {
      items.push(own);
      return;
    }
    const part = toAnswerPart(block);
    if (part === undefined) return;
    const before = items.at(-1);
    if (goesOn && before?.type === "message" && Array.isArray(before.content)) {
      items[items.length - 1] = { ...before, content: [...before.content, part] };
    } else items.push({ ...item, type: "message", role: "assistant", content: [part] });
  }

  #thought(block: Block): JsonObject | undefined {
    const item = this.#item(block);
    if (item.type !== "reasoning" || typeof item.id !== "string") return undefined;
    return this.#store || typeof item.encrypted_content === "string" ? item : undefined;
  }

  /** What this provider attached: the item that the block was, or was a part of. */
  #item(block: Block): JsonObject {
    const item = block.providerMetadata?.[this.#provider]?.item;
    return isJsonObject(item) ? item : {};
  }

  /** An item of the provider's own: a search that it made, code that it ran. */
  #ownItem(block: Block): JsonObject | undefined {
    const own = block.type === "provider" && block.provider === this.#provider ? block.value : undefined;
    return isJsonObject(own) ? own : undefined;
  }
}

/** Where the history goes on after a response; at its beginning when it does not hold the response. */
function placeAfter(history: readonly Message[], responseId: string | undefined): number {
  if (responseId === undefined) return 0;
  return history.findLastIndex((message) => message.role === "assistant" && message.responseId === responseId) + 1;
}

/** What an item has besides its name at the server, as the phase of a message. */
function withoutIdentity({ id: _, status: __, ...more }: JsonObject): JsonObject {
  return more as JsonObject;
}

function textOfMessage({ content }: Message): string {
  return content.map(plainText).join("\n");
}

function toAnswerPart(block: Block): JsonObject | undefined {
  if (block.type === "refusal") return { type: "refusal", refusal: block.text };
  const text = plainText(block);
  return text.trim() === "" ? undefined : { type: "output_text", text, annotations: [] };
}
