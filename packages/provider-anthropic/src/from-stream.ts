import {
  type Block,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type ModelDelta,
  type ModelWarning,
  mayKeep,
  saidFields,
  textOf,
  UnknownFields,
} from "@tinyagents/core";
import { toFinishReason } from "./finish.js";
import { type BlockContext, type OpenBlock, openBlock } from "./open-block.js";
import { UsageReader } from "./to-usage.js";

/** Fields of a message that have a home. */
const MESSAGE_FIELDS: ReadonlySet<string> = new Set(["id", "type", "role", "model", "content", "stop_reason", "usage"]);

/** The block that fragments of this type belong to, where a server leaves out its beginning. */
const IMPLIED: { readonly [delta: string]: string } = {
  text_delta: "text",
  citations_delta: "text",
  thinking_delta: "thinking",
  signature_delta: "thinking",
};

/**
 * Turns the events of one streamed answer into deltas.
 * @see https://platform.claude.com/docs/en/build-with-claude/streaming
 */
export class StreamReader {
  readonly #provider: string;
  readonly #warnings: ModelWarning[];
  readonly #requestId: string;
  readonly #extras = new UnknownFields(MESSAGE_FIELDS);
  readonly #usage = new UsageReader();
  /** By the index on the wire, oldest first. */
  readonly #open = new Map<JsonValue | undefined, OpenBlock>();
  readonly #context: BlockContext;
  #nextIndex = 0;
  #calls = 0;
  #id = "";
  #model = "";
  #rawFinish = "";
  #stopped = false;

  /** `requestId`: as the answer's headers have it; kept with the response. */
  constructor(provider: string, warnings: readonly ModelWarning[], requestId = "") {
    this.#provider = provider;
    this.#warnings = [...warnings];
    this.#requestId = requestId;
    this.#context = {
      provider,
      warnings: this.#warnings,
      nextIndex: () => this.#nextIndex++,
      newCallId: () => `${this.#id === "" ? "call" : this.#id}_${this.#calls}`,
    };
  }

  /** Reads one event. One of a type that nobody knows says nothing. */
  read(event: JsonObject): readonly ModelDelta[] {
    const out: ModelDelta[] = [];
    switch (event.type) {
      case "message_start":
        this.#readStart(event.message, out);
        break;
      case "content_block_start":
        this.#openBlock(event.index, event.content_block, out);
        break;
      case "content_block_delta":
        if (isJsonObject(event.delta)) this.#readFragment(event.index, event.delta, out);
        break;
      case "content_block_stop":
        this.#close(event.index, out);
        break;
      case "message_delta":
        this.#readEnd(event, out);
        break;
      case "message_stop":
        this.#stopped = true;
        break;
    }
    return out;
  }

  /**
   * What is told when the last event has come. Nothing when the finishing event or the reason did not come: the stream was
   * cut short, however cleanly it ended.
   */
  end(): readonly ModelDelta[] {
    if (!this.#stopped || this.#rawFinish === "") return [];
    const out: ModelDelta[] = [];
    for (const index of [...this.#open.keys()]) this.#close(index, out);
    const fields = this.#extras.fields(this.#warnings) ?? {};
    const finishReason = toFinishReason(this.#rawFinish, this.#calls > 0);
    if (finishReason === "refusal") out.push({ type: "block", index: this.#nextIndex++, block: this.#refusal(fields) });
    if (Object.keys(fields).length > 0) out.push({ type: "provider", providerMetadata: { [this.#provider]: fields } });
    const providerData = this.#providerData(fields);
    out.push({
      type: "finish",
      finishReason,
      rawFinishReason: this.#rawFinish,
      ...this.#identity(),
      ...saidFields({ warnings: this.#warnings, providerData }),
    });
    return out;
  }

  #readStart(message: JsonValue | undefined, out: ModelDelta[]): void {
    if (!isJsonObject(message)) return;
    this.#id = textOf(message.id);
    this.#model = textOf(message.model);
    this.#extras.take(message);
    if (this.#id !== "" || this.#model !== "") out.push({ type: "start", ...this.#identity() });
    if (isJsonObject(message.usage)) this.#tellUsage(message.usage, true, out);
  }

  #openBlock(index: JsonValue | undefined, start: JsonValue | undefined, out: ModelDelta[]): void {
    this.#close(index, out);
    if (!isJsonObject(start)) return;
    this.#open.set(index, openBlock(start, this.#context, out));
    if (start.type === "tool_use") this.#calls++;
  }

  /** A fragment without an index, or with that of no block, goes on with the newest block. */
  #readFragment(index: JsonValue | undefined, delta: JsonObject, out: ModelDelta[]): void {
    const block = this.#open.get(index) ?? [...this.#open.values()].at(-1);
    if (block?.read(delta, out) === true) return;
    const type = textOf(delta.type);
    const implied = IMPLIED[type];
    if (implied !== undefined && block?.type !== implied) {
      this.#openBlock(index, { type: implied }, out);
      this.#open.get(index)?.read(delta, out);
    } else {
      const message = `A fragment of type ${type === "" ? "unknown" : type} fits no block; it was left out.`;
      this.#warnings.push({ code: "malformed_data", message });
    }
  }

  #close(index: JsonValue | undefined, out: ModelDelta[]): void {
    this.#open.get(index)?.close(out);
    this.#open.delete(index);
  }

  #readEnd(event: JsonObject, out: ModelDelta[]): void {
    const { delta, usage, type: _, ...rest } = event;
    this.#extras.take(rest);
    if (isJsonObject(delta)) {
      this.#extras.take(delta);
      this.#rawFinish = textOf(delta.stop_reason) || this.#rawFinish;
    }
    if (isJsonObject(usage)) this.#tellUsage(usage, false, out);
  }

  #tellUsage(wire: JsonObject, unfinished: boolean, out: ModelDelta[]): void {
    this.#usage.take(wire);
    const usage = this.#usage.usage(unfinished);
    if (usage !== undefined) out.push({ type: "usage", usage });
  }

  #identity(): { readonly model?: string; readonly responseId?: string } {
    return saidFields({ model: this.#model, responseId: this.#id });
  }

  /** The provider's words for the refusal. They are no content, and never go back: hence the mark. */
  #refusal(fields: JsonObject): Block {
    const details = isJsonObject(fields.stop_details) ? fields.stop_details : undefined;
    const providerMetadata = { [this.#provider]: { of: "stop_details" } };
    const text = textOf(details?.explanation);
    return { type: "refusal", text, ...(details === undefined ? {} : { safety: details }), providerMetadata };
  }

  #providerData(fields: JsonObject): JsonObject {
    const usage = this.#usage.rest;
    return {
      ...fields,
      ...(usage !== undefined && mayKeep(usage, this.#warnings) ? { usage } : {}),
      ...saidFields({ request_id: this.#requestId }),
    };
  }
}
