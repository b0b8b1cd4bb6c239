import {
  argsText,
  type Block,
  isJsonObject,
  type JsonObject,
  type ModelDelta,
  type ModelWarning,
  textOf,
} from "@tinyagents/core";
import type { FrameReader } from "../dialect.js";
import { besideTexts, isSaid, metadataOf, partsOf, THOUGHT_BREAK, thoughtOf } from "./item.js";
import { type OpenItem, OpenItems } from "./open-items.js";
import { failureOf, finishOf, identityOf } from "./outcome.js";
import { safeItem } from "./safe-item.js";

/**
 * Turns the events of one streamed answer into deltas. Events that nobody knows, and those of an item or an answer that
 * has ended, are passed over.
 */
export class EventReader implements FrameReader {
  readonly #provider: string;
  readonly #warnings: ModelWarning[];
  readonly #items = new OpenItems();
  #nextIndex = 0;
  #refused = false;
  #called = false;
  #started = false;
  #response: JsonObject | undefined;

  constructor(provider: string, warnings: readonly ModelWarning[]) {
    this.#provider = provider;
    this.#warnings = [...warnings];
  }

  get nextIndex(): number {
    return this.#nextIndex;
  }

  read(event: JsonObject): readonly ModelDelta[] {
    const out: ModelDelta[] = [];
    if (this.#response === undefined) this.#read(event, out);
    return out;
  }

  #read(event: JsonObject, out: ModelDelta[]): void {
    switch (event.type) {
      case "response.created":
      case "response.in_progress":
        this.#start(event, out);
        break;
      case "response.output_item.added":
        if (isJsonObject(event.item)) this.#addItem(event, event.item, out);
        break;
      case "response.output_text.delta":
        this.#text(this.#items.of(event), event, textOf(event.delta), out);
        break;
      case "response.refusal.delta":
        this.#refusal(this.#items.of(event), event, textOf(event.delta), out);
        break;
      case "response.reasoning_text.delta":
        this.#thought(event, `content ${event.content_index}`, out);
        break;
      case "response.reasoning_summary_text.delta":
        this.#thought(event, `summary ${event.summary_index}`, out);
        break;
      case "response.function_call_arguments.delta":
        this.#args(this.#items.of(event), textOf(event.delta), out);
        break;
      case "response.output_item.done":
        if (isJsonObject(event.item)) this.#endItem(this.#items.ended(event, event.item), event.item, out);
        break;
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
        if (isJsonObject(event.response)) this.#endResponse(event, event.response, out);
        break;
      case "error":
        throw failureOf(event);
    }
  }

  end(): readonly ModelDelta[] {
    if (this.#response === undefined) return [];
    const answered = { refused: this.#refused, called: this.#called };
    return [finishOf(this.#response, answered, this.#warnings, this.#provider)];
  }

  #start({ response }: JsonObject, out: ModelDelta[]): void {
    if (this.#started || !isJsonObject(response)) return;
    this.#started = true;
    out.push({ type: "start", ...identityOf(response) });
  }

  #addItem(event: JsonObject, item: JsonObject, out: ModelDelta[]): void {
    const open = this.#items.begun(event, item);
    if (item.type === "function_call" && open.index === undefined) this.#startCall(open, item, out);
  }

  #text(open: OpenItem, place: JsonObject, text: string, out: ModelDelta[]): void {
    if (text === "" || open.done) return;
    out.push({ type: "text", index: this.#part(open, place), text });
  }

  #refusal(open: OpenItem, place: JsonObject, text: string, out: ModelDelta[]): void {
    if (open.done) return;
    this.#refused = true;
    out.push({ type: "refusal", index: this.#part(open, place), text });
  }

  #thought(event: JsonObject, part: string, out: ModelDelta[]): void {
    const text = textOf(event.delta);
    const open = this.#items.of(event);
    if (open.type === "") open.type = "reasoning";
    if (text === "" || open.done || open.type !== "reasoning") return;
    const begins = open.thought !== undefined && open.thought !== part;
    open.thought = part;
    open.index ??= this.#nextIndex++;
    out.push({ type: "reasoning", index: open.index, text: begins ? THOUGHT_BREAK + text : text });
  }

  #args(open: OpenItem, args: string, out: ModelDelta[]): void {
    if (args === "" || open.done) return;
    if (open.type !== "function_call" || open.index === undefined) {
      open.held += args;
      return;
    }
    open.hasArgs = true;
    out.push({ type: "tool_call_args", index: open.index, args });
  }

  #startCall(open: OpenItem, item: JsonObject, out: ModelDelta[]): void {
    this.#called = true;
    open.index = this.#nextIndex++;
    out.push({ type: "tool_call_start", index: open.index, id: textOf(item.call_id), name: textOf(item.name) });
    this.#args(open, open.held, out);
  }

  /** The item as it came to be: whatever of it was not told before is told now. */
  #endItem(open: OpenItem, wire: JsonObject, out: ModelDelta[]): void {
    if (open.done) return;
    const item = safeItem(wire, this.#warnings);
    switch (item.type) {
      case "message":
        this.#endMessage(open, item, out);
        break;
      case "reasoning":
        this.#endThought(open, item, out);
        break;
      case "function_call":
        this.#endCall(open, item, out);
        break;
      default:
        this.#whole({ type: "provider", provider: this.#provider, value: item }, out);
    }
    open.done = true;
  }

  #endMessage(open: OpenItem, item: JsonObject, out: ModelDelta[]): void {
    for (const [at, part] of partsOf(item).entries()) {
      const place = { content_index: at };
      if (!isSaid(part)) continue;
      if (!open.parts.has(at)) {
        if (part.type === "refusal") this.#refusal(open, place, textOf(part.refusal), out);
        else this.#text(open, place, textOf(part.text), out);
      }
      const index = open.parts.get(at);
      if (index !== undefined) this.#attach(index, item, out, part);
    }
    for (const block of besideTexts(item, this.#provider)) this.#whole(block, out);
  }

  #endThought(open: OpenItem, item: JsonObject, out: ModelDelta[]): void {
    if (open.index === undefined) {
      open.index = this.#nextIndex++;
      out.push({ type: "reasoning", index: open.index, text: thoughtOf(item) });
    }
    this.#attach(open.index, item, out);
  }

  #endCall(open: OpenItem, item: JsonObject, out: ModelDelta[]): void {
    if (open.index === undefined) this.#startCall(open, item, out);
    const index = open.index as number;
    const args = argsText(item.arguments);
    if (!open.hasArgs && args !== "") out.push({ type: "tool_call_args", index, args });
    this.#attach(index, item, out);
    out.push({ type: "tool_call_end", index });
  }

  /** The last event repeats the whole answer: servers that tell of an item nowhere else are heard all the same. */
  #endResponse({ type }: JsonObject, response: JsonObject, out: ModelDelta[]): void {
    if (type === "response.failed") throw failureOf(response.error);
    this.#start({ response }, out);
    const items = Array.isArray(response.output) ? response.output.filter(isJsonObject) : [];
    const open = this.#items.repeated(items);
    for (const [at, item] of items.entries()) this.#endItem(open[at] as OpenItem, item, out);
    // Its type says how it ended where nothing else does.
    const status = type === "response.incomplete" ? "incomplete" : "completed";
    this.#response = textOf(response.status) === "" ? { ...response, status } : response;
  }

  #whole(block: Block, out: ModelDelta[]): void {
    out.push({ type: "block", index: this.#nextIndex++, block });
  }

  #attach(index: number, item: JsonObject, out: ModelDelta[], part?: JsonObject): void {
    out.push({ type: "provider", index, providerMetadata: metadataOf(item, this.#provider, part) });
  }

  #part({ parts }: OpenItem, { content_index: place }: JsonObject): number {
    const at = typeof place === "number" ? place : 0;
    let index = parts.get(at);
    if (index === undefined) {
      index = this.#nextIndex++;
      parts.set(at, index);
    }
    return index;
  }
}
