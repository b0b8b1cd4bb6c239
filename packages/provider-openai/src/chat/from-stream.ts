import {
  isJsonObject,
  type JsonObject,
  type ModelDelta,
  type ModelWarning,
  saidFields,
  textOf,
  UnknownFields,
} from "@tinyagents/core";
import type { FrameReader } from "../dialect.js";
import { toFinishReason } from "./finish.js";
import type { ChatQuirks } from "./quirks.js";
import { mergedFields } from "./returned-fields.js";
import { saidIn } from "./said.js";
import { type Said, ThinkTags } from "./think-tags.js";
import { usageIn } from "./to-usage.js";
import { ToolCallAssembly } from "./tool-call-assembly.js";

/** Fields that have a home. `obfuscation` is padding against readers of encrypted traffic. */
export const RESPONSE_FIELDS: ReadonlySet<string> = new Set([
  "id",
  "object",
  "model",
  "choices",
  "usage",
  "obfuscation",
]);
export const CHOICE_FIELDS: ReadonlySet<string> = new Set(["index", "delta", "message", "finish_reason"]);
export const MESSAGE_FIELDS: ReadonlySet<string> = new Set([
  "role",
  "content",
  "refusal",
  "tool_calls",
  "reasoning_content",
  "reasoning",
]);

/** Where servers put what the model thought. */
export const REASONING_FIELDS = ["reasoning_content", "reasoning"] as const;

type Channel = "text" | "reasoning" | "refusal";

/** Turns the frames of one streamed answer into deltas. Frames without choices, and choices without a delta, are legal. */
export class StreamReader implements FrameReader {
  readonly #provider: string;
  readonly #quirks: ChatQuirks;
  readonly #tags: ThinkTags | undefined;
  readonly #warnings: ModelWarning[];
  readonly #calls: ToolCallAssembly;
  readonly #channels: { [C in Channel]?: number } = {};
  readonly #responseExtras = new UnknownFields(RESPONSE_FIELDS);
  readonly #choiceExtras = new UnknownFields(CHOICE_FIELDS);
  readonly #messageExtras = new UnknownFields(MESSAGE_FIELDS);
  #nextIndex = 0;
  #id = "";
  #model = "";
  #started = false;
  #rawFinish = "";

  constructor(provider: string, quirks: ChatQuirks, warnings: readonly ModelWarning[]) {
    this.#provider = provider;
    this.#quirks = quirks;
    this.#tags = quirks.thinkTags === true ? new ThinkTags() : undefined;
    this.#warnings = [...warnings];
    this.#calls = new ToolCallAssembly(
      () => this.#nextIndex++,
      (ordinal) => `${this.#id === "" ? "call" : this.#id}_${ordinal}`,
    );
  }

  /** The index of a block that follows all that have come. */
  get nextIndex(): number {
    return this.#nextIndex;
  }

  read(frame: JsonObject): readonly ModelDelta[] {
    const out: ModelDelta[] = [];
    this.#readHead(frame, out);
    if (Array.isArray(frame.choices)) for (const choice of frame.choices) this.#readChoice(choice, out);
    const usage = usageIn(frame, this.#quirks);
    if (usage !== undefined) out.push({ type: "usage", usage });
    return out;
  }

  /** What is told when the last frame has come. Nothing when no finish reason came: the stream was cut short, however cleanly it ended. */
  end(): readonly ModelDelta[] {
    if (this.#rawFinish === "") return [];
    const out: ModelDelta[] = [];
    for (const said of this.#tags?.end() ?? []) this.#say(said, out);
    this.#endCalls(out);
    const message = mergedFields(this.#messageExtras.fields(this.#warnings), this.#quirks);
    if (message !== undefined) out.push({ type: "provider", providerMetadata: { [this.#provider]: message } });
    const answer = { refused: this.#channels.refusal !== undefined, called: this.#calls.calls.length > 0 };
    const providerData = {
      ...this.#responseExtras.fields(this.#warnings),
      ...this.#choiceExtras.fields(this.#warnings),
    };
    out.push({
      type: "finish",
      finishReason: toFinishReason(this.#rawFinish, answer),
      rawFinishReason: this.#rawFinish,
      ...saidFields({ model: this.#model, responseId: this.#id, warnings: this.#warnings, providerData }),
    });
    return out;
  }

  /** Some servers begin with a frame that names neither response nor model. */
  #readHead(frame: JsonObject, out: ModelDelta[]): void {
    this.#responseExtras.grow(frame);
    if (this.#id === "") this.#id = textOf(frame.id);
    if (this.#model === "") this.#model = textOf(frame.model);
    if (this.#started || this.#id === "") return;
    this.#started = true;
    out.push({ type: "start", responseId: this.#id, ...saidFields({ model: this.#model }) });
  }

  #readChoice(choice: unknown, out: ModelDelta[]): void {
    if (!isJsonObject(choice) || (typeof choice.index === "number" && choice.index !== 0)) return;
    this.#choiceExtras.grow(choice);
    if (isJsonObject(choice.delta)) this.#readDelta(choice.delta, out);
    if (typeof choice.finish_reason === "string" && choice.finish_reason !== "") this.#rawFinish = choice.finish_reason;
  }

  #readDelta(delta: JsonObject, out: ModelDelta[]): void {
    this.#messageExtras.grow(delta);
    for (const field of REASONING_FIELDS) {
      const thought = textOf(delta[field]);
      if (thought === "") continue;
      this.#readReasoning(thought, field, out);
      break;
    }
    for (const said of saidIn(delta.content, this.#tags)) this.#say(said, out);
    const refusal = textOf(delta.refusal);
    if (refusal !== "") out.push({ type: "refusal", index: this.#channel("refusal"), text: refusal });
    if (!Array.isArray(delta.tool_calls)) return;
    for (const fragment of delta.tool_calls) if (isJsonObject(fragment)) this.#calls.read(fragment, out);
  }

  #say({ kind, text }: Said, out: ModelDelta[]): void {
    if (kind === "reasoning") {
      this.#readReasoning(text, "content", out);
      return;
    }
    out.push({ type: "text", index: this.#channel("text"), text });
  }

  #readReasoning(text: string, field: string, out: ModelDelta[]): void {
    const first = this.#channels.reasoning === undefined;
    const index = this.#channel("reasoning");
    out.push({ type: "reasoning", index, text });
    if (first) out.push({ type: "provider", index, providerMetadata: { [this.#provider]: { field } } });
  }

  #endCalls(out: ModelDelta[]): void {
    this.#calls.end(out);
    for (const { index, extras } of this.#calls.calls) {
      const own = extras.fields(this.#warnings);
      if (own !== undefined) out.push({ type: "provider", index, providerMetadata: { [this.#provider]: own } });
    }
  }

  #channel(channel: Channel): number {
    this.#channels[channel] ??= this.#nextIndex++;
    return this.#channels[channel];
  }
}
