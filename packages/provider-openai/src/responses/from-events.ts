import {
  type Block,
  cutShortError,
  isJsonObject,
  type JsonObject,
  type ModelDelta,
  type ModelWarning,
} from "@tinyagents/core";
import type { FrameReader } from "../dialect.js";
import { argsText, textOf } from "../wire-value.js";
import { besideTexts, isSaid, metadataOf, partsOf, THOUGHT_BREAK, thoughtOf } from "./item.js";
import { failureOf, finishOf, identityOf } from "./outcome.js";

/** An item that is being streamed. */
interface OpenItem {
  /** Block indexes of its parts, by the part's place. */
  readonly parts: Map<number, number>;
  /** The block of a thought or a call. */
  index?: number;
  /** The part of a thought that was told last. */
  thought?: string;
  /** Whether any arguments have come. */
  hasArgs: boolean;
  done: boolean;
}

/** Turns the events of one streamed answer into deltas. Events that nobody knows are passed over. */
export class EventReader implements FrameReader {
  readonly #provider: string;
  readonly #warnings: ModelWarning[];
  readonly #items = new Map<number, OpenItem>();
  #nextIndex = 0;
  #partialText = "";
  #refused = false;
  #called = false;
  #started = false;
  #response: JsonObject | undefined;

  constructor(provider: string, warnings: readonly ModelWarning[]) {
    this.#provider = provider;
    this.#warnings = [...warnings];
  }

  get partialText(): string {
    return this.#partialText;
  }

  get nextIndex(): number {
    return this.#nextIndex;
  }

  read(event: JsonObject): readonly ModelDelta[] {
    const out: ModelDelta[] = [];
    switch (event.type) {
      case "response.created":
      case "response.in_progress":
        this.#start(event, out);
        break;
      case "response.output_item.added":
        this.#addItem(event, out);
        break;
      case "response.output_text.delta":
        this.#text(event, textOf(event.delta), out);
        break;
      case "response.refusal.delta":
        this.#refusal(event, textOf(event.delta), out);
        break;
      case "response.reasoning_text.delta":
        this.#thought(event, `content ${event.content_index}`, out);
        break;
      case "response.reasoning_summary_text.delta":
        this.#thought(event, `summary ${event.summary_index}`, out);
        break;
      case "response.function_call_arguments.delta":
        this.#args(event, textOf(event.delta), out);
        break;
      case "response.output_item.done":
        if (isJsonObject(event.item)) this.#endItem(placeOf(event), event.item, out);
        break;
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
        if (isJsonObject(event.response)) this.#endResponse(event.response, out);
        break;
      case "error":
        throw failureOf(event);
    }
    return out;
  }

  end(): readonly ModelDelta[] {
    if (this.#response === undefined) throw cutShortError(this.#partialText, this.#provider);
    const answered = { refused: this.#refused, called: this.#called };
    return [finishOf(this.#response, answered, this.#warnings, this.#provider)];
  }

  #start({ response }: JsonObject, out: ModelDelta[]): void {
    if (this.#started || !isJsonObject(response)) return;
    this.#started = true;
    out.push({ type: "start", ...identityOf(response) });
  }

  #addItem(event: JsonObject, out: ModelDelta[]): void {
    if (!isJsonObject(event.item)) return;
    const open = this.#item(placeOf(event));
    if (event.item.type === "function_call") this.#startCall(open, event.item, out);
  }

  #text(event: JsonObject, text: string, out: ModelDelta[]): void {
    if (text === "") return;
    this.#partialText += text;
    out.push({ type: "text", index: this.#part(event), text });
  }

  #refusal(event: JsonObject, text: string, out: ModelDelta[]): void {
    this.#refused = true;
    out.push({ type: "refusal", index: this.#part(event), text });
  }

  #thought(event: JsonObject, part: string, out: ModelDelta[]): void {
    const text = textOf(event.delta);
    if (text === "") return;
    const open = this.#item(placeOf(event));
    const begins = open.thought !== undefined && open.thought !== part;
    open.thought = part;
    open.index ??= this.#nextIndex++;
    out.push({ type: "reasoning", index: open.index, text: begins ? THOUGHT_BREAK + text : text });
  }

  #args(event: JsonObject, args: string, out: ModelDelta[]): void {
    const open = this.#item(placeOf(event));
    // Without its start a call has no name; its end brings it whole.
    if (open.index === undefined || args === "") return;
    open.hasArgs = true;
    out.push({ type: "tool_call_args", index: open.index, args });
  }

  #startCall(open: OpenItem, item: JsonObject, out: ModelDelta[]): void {
    this.#called = true;
    open.index = this.#nextIndex++;
    out.push({ type: "tool_call_start", index: open.index, id: textOf(item.call_id), name: textOf(item.name) });
  }

  /** The item as it came to be: whatever of it was not told before is told now. */
  #endItem(place: number, item: JsonObject, out: ModelDelta[]): void {
    const open = this.#item(place);
    if (open.done) return;
    open.done = true;
    switch (item.type) {
      case "message":
        this.#endMessage(place, open, item, out);
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
  }

  #endMessage(place: number, open: OpenItem, item: JsonObject, out: ModelDelta[]): void {
    for (const [at, part] of partsOf(item).entries()) {
      const event = { output_index: place, content_index: at };
      if (!isSaid(part)) continue;
      if (!open.parts.has(at)) {
        if (part.type === "refusal") this.#refusal(event, textOf(part.refusal), out);
        else this.#text(event, textOf(part.text), out);
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
  #endResponse(response: JsonObject, out: ModelDelta[]): void {
    this.#response = response;
    this.#start({ response }, out);
    if (!Array.isArray(response.output)) return;
    for (const [place, item] of response.output.entries()) if (isJsonObject(item)) this.#endItem(place, item, out);
  }

  #whole(block: Block, out: ModelDelta[]): void {
    out.push({ type: "block", index: this.#nextIndex++, block });
  }

  #attach(index: number, item: JsonObject, out: ModelDelta[], part?: JsonObject): void {
    out.push({ type: "provider", index, providerMetadata: metadataOf(item, this.#provider, part) });
  }

  #item(place: number): OpenItem {
    let open = this.#items.get(place);
    if (open === undefined) {
      open = { parts: new Map(), hasArgs: false, done: false };
      this.#items.set(place, open);
    }
    return open;
  }

  #part(event: JsonObject): number {
    const { parts } = this.#item(placeOf(event));
    const at = typeof event.content_index === "number" ? event.content_index : 0;
    let index = parts.get(at);
    if (index === undefined) {
      index = this.#nextIndex++;
      parts.set(at, index);
    }
    return index;
  }
}

function placeOf({ output_index: place }: JsonObject): number {
  return typeof place === "number" ? place : 0;
}
