import type { TinyAgentsError } from "../errors.js";
import type { JsonObject } from "../json.js";
import type { ProviderMetadata } from "../message/block.js";
import type { AssistantMessage } from "../message/message.js";
import { deltaFault } from "./check-delta.js";
import { corruptStream } from "./checked-stream.js";
import { cutShortError } from "./cut-short.js";
import type { FinishDelta, FinishReason, ModelDelta, ModelWarning } from "./delta.js";
import { charsOf, finishBlock, type Growing, mergeMetadata } from "./growing-block.js";
import type { ResolvedModel } from "./profile.js";
import { readUsage } from "./read-usage.js";
import type { ModelTiming } from "./timing.js";
import { addUsage, type Usage } from "./usage.js";

/** What a model answered. */
export interface ModelResponse {
  readonly message: AssistantMessage;
  readonly finishReason: FinishReason;
  readonly rawFinishReason?: string;
  readonly model: ResolvedModel;
  readonly responseId?: string;
  /** Of all attempts together. The last attempt's own is `message.usage`. Absent means unknown. */
  readonly usage?: Usage;
  /** How many attempts it took. */
  readonly attempts: number;
  readonly warnings: readonly ModelWarning[];
  readonly providerData?: JsonObject;
  /** Where the time went. Absent where nobody measured: `collect` has no clock. */
  readonly timing?: ModelTiming;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** The longest answer that is put together, in characters. */
const LONGEST_ANSWER = 64 * 1024 * 1024;
/** The most blocks that it may have. */
const MOST_BLOCKS = 1_000_000;

/**
 * Adds deltas up to a response, in time linear in their number. The one place where a response is assembled, and where
 * what a model gives is looked at; `collect` is the short form for whoever needs no say in between.
 */
export class ResponseCollector {
  #model: ResolvedModel;
  #blocks: Growing[] = [];
  /** The newest block of each index: some servers use an index again. Made when blocks are given in turns. */
  #newest: Map<number, Growing> | undefined;
  #last: Growing | undefined;
  #metadata: ProviderMetadata | undefined;
  #usage: Usage | undefined;
  #earlierUsage: Usage | undefined;
  #exactModel: string | undefined;
  #responseId: string | undefined;
  #finish: FinishDelta | undefined;
  #attempts = 1;
  #deltas = 0;
  /** Characters that came in fragments of this attempt. */
  #chars = 0;
  /** What was wrong with the usage of this attempt. */
  #usageWarning: ModelWarning | undefined;

  constructor(model: ResolvedModel) {
    this.#model = model;
  }

  /**
   * Takes the next delta of the stream. Usage that cannot be right counts as unknown, with a warning in the response.
   * @throws `corrupt_data` for what is no delta, for arguments of a block that is no open tool call, and for an answer
   * without end. The place says which delta it was.
   */
  add(delta: ModelDelta): void {
    this.#deltas++;
    // The two that come by the thousand are looked at where they are read; a look of its own would cost as much again.
    switch (delta?.type) {
      case "text":
      case "reasoning":
      case "refusal": {
        const { index, text } = delta;
        if (typeof text !== "string" || !Number.isFinite(index)) throw this.#refused(delta);
        this.#grow(delta.type, index).text += text;
        this.#noteChars(text.length);
        return;
      }
      case "tool_call_args": {
        const { index, args } = delta;
        if (typeof args !== "string" || !Number.isFinite(index)) throw this.#refused(delta);
        this.#grow("tool_call", index).text += args;
        this.#noteChars(args.length);
        return;
      }
      default:
        if (deltaFault(delta) !== undefined) throw this.#refused(delta);
        this.#take(delta);
    }
  }

  #refused(delta: unknown): TinyAgentsError {
    return corruptStream(this.#model.id, deltaFault(delta) ?? "it changes while it is read", this.#deltas);
  }

  /** Takes what comes once in a while. */
  #take(delta: ModelDelta): void {
    switch (delta.type) {
      case "tool_call_start":
        this.#open({ kind: "tool_call", index: delta.index, text: "", id: delta.id, name: delta.name });
        return;
      case "block":
        this.#open({ kind: "block", index: delta.index, text: "", block: delta.block });
        return;
      case "provider":
        this.#attach(delta.index, delta.providerMetadata);
        return;
      case "usage":
        this.#takeUsage(delta.usage);
        return;
      case "start":
        this.#exactModel = delta.model ?? this.#exactModel;
        this.#responseId = delta.responseId ?? this.#responseId;
        return;
      case "restart":
        this.#restart(delta.model);
        return;
      case "finish":
        this.#finish = delta;
        if (delta.usage !== undefined) this.#takeUsage(delta.usage);
        return;
    }
  }

  /** The model that is being asked. */
  get model(): ResolvedModel {
    return this.#model;
  }

  /** Whether the finishing delta has come. */
  get finished(): boolean {
    return this.#finish !== undefined;
  }

  /** Tokens of all attempts so far. Absent means unknown. */
  get usage(): Usage | undefined {
    if (this.#earlierUsage === undefined || this.#usage === undefined) return this.#usage ?? this.#earlierUsage;
    return addUsage(this.#earlierUsage, this.#usage);
  }

  /** Whether the attempt under way has told its usage. */
  get reportsCurrent(): boolean {
    return this.#usage !== undefined;
  }

  /** The visible text so far. */
  get text(): string {
    let text = "";
    for (const block of this.#blocks) if (block.kind === "text") text += block.text;
    return text;
  }

  /** How many characters of any kind have come, for an estimate of what an unfinished answer cost. */
  get receivedChars(): number {
    let chars = 0;
    for (const { text, block } of this.#blocks) chars += block === undefined ? text.length : charsOf(block);
    return chars;
  }

  /**
   * The finished response, with its timing from whoever measured it.
   * @throws `network` when the stream was cut short: its `partialText` has what had come.
   */
  response(timing?: ModelTiming): ModelResponse {
    const finish = this.#finish;
    if (finish === undefined) throw cutShortError(this.text, this.#model.provider);
    const usage = this.usage;
    const exact = finish.model ?? this.#exactModel;
    const model = exact === undefined || exact === this.#model.model ? this.#model : { ...this.#model, model: exact };
    const responseId = finish.responseId ?? this.#responseId;
    const message: Mutable<AssistantMessage> = {
      role: "assistant",
      content: this.#blocks.map(finishBlock),
      finishReason: finish.finishReason,
      model,
    };
    if (this.#usage !== undefined) message.usage = this.#usage;
    if (responseId !== undefined) message.responseId = responseId;
    if (this.#metadata !== undefined) message.providerMetadata = this.#metadata;
    const response: Mutable<ModelResponse> = {
      message,
      finishReason: finish.finishReason,
      model,
      attempts: this.#attempts,
      warnings: this.#warnings(finish.warnings ?? NO_WARNINGS),
    };
    if (finish.rawFinishReason !== undefined) response.rawFinishReason = finish.rawFinishReason;
    if (responseId !== undefined) response.responseId = responseId;
    if (usage !== undefined) response.usage = usage;
    if (finish.providerData !== undefined) response.providerData = finish.providerData;
    if (timing !== undefined) response.timing = timing;
    return response;
  }

  #warnings(told: readonly ModelWarning[]): readonly ModelWarning[] {
    return this.#usageWarning === undefined ? told : [...told, this.#usageWarning];
  }

  /** Usage in which nothing can be believed leaves what was told before. */
  #takeUsage(told: unknown): void {
    const { usage, faults } = readUsage(told);
    if (usage !== undefined) this.#usage = usage;
    this.#usageWarning = faults.length === 0 ? undefined : usageWarning(this.#model, faults);
  }

  #noteChars(chars: number): void {
    this.#chars += chars;
    if (this.#chars > LONGEST_ANSWER) {
      throw corruptStream(this.#model.id, `the answer has more than ${LONGEST_ANSWER} characters`, this.#deltas);
    }
  }

  #grow(kind: Growing["kind"], index: number): Growing {
    const last = this.#last;
    if (last !== undefined && last.index === index && last.kind === kind) return last;
    const known = this.#newestOf(index);
    if (known?.kind === kind) {
      this.#last = known;
      return known;
    }
    if (kind === "tool_call") {
      throw corruptStream(
        this.#model.id,
        `arguments came for block ${index}, which is no open tool call`,
        this.#deltas,
      );
    }
    return this.#open({ kind, index, text: "" });
  }

  #open(block: Growing): Growing {
    if (this.#blocks.length >= MOST_BLOCKS) {
      throw corruptStream(this.#model.id, `the answer has more than ${MOST_BLOCKS} blocks`, this.#deltas);
    }
    if (this.#blocks.length === 0) this.#blocks = [block];
    else this.#blocks.push(block);
    this.#newest?.set(block.index, block);
    this.#last = block;
    return block;
  }

  /** The last block that was given something is the newest of its index. */
  #newestOf(index: number): Growing | undefined {
    if (this.#last?.index === index) return this.#last;
    if (this.#blocks.length < 2) return undefined;
    this.#newest ??= new Map(this.#blocks.map((block) => [block.index, block]));
    return this.#newest.get(index);
  }

  #attach(index: number | undefined, metadata: ProviderMetadata): void {
    if (index === undefined) {
      this.#metadata = mergeMetadata(this.#metadata, metadata);
      return;
    }
    const block = this.#newestOf(index) ?? this.#open({ kind: "reasoning", index, text: "" });
    block.providerMetadata = mergeMetadata(block.providerMetadata, metadata);
  }

  #restart(model: ResolvedModel | undefined): void {
    // What another model has used is counted as that model's.
    this.#earlierUsage = model === undefined ? this.usage : undefined;
    this.#usage = undefined;
    this.#usageWarning = undefined;
    this.#chars = 0;
    this.#blocks = [];
    this.#newest = undefined;
    this.#last = undefined;
    this.#metadata = undefined;
    this.#exactModel = undefined;
    this.#responseId = undefined;
    this.#finish = undefined;
    if (model !== undefined) this.#model = model;
    this.#attempts++;
  }
}

/**
 * Reads a stream to its end and gives the response that its deltas add up to.
 * @throws what the stream throws; `network` when it ends without a finish.
 */
export async function collect(deltas: AsyncIterable<ModelDelta>, model: ResolvedModel): Promise<ModelResponse> {
  const collector = new ResponseCollector(model);
  for await (const delta of deltas) collector.add(delta);
  return collector.response();
}

const NO_WARNINGS: readonly ModelWarning[] = [];

function usageWarning({ id }: ResolvedModel, faults: readonly string[]): ModelWarning {
  return {
    code: "malformed_data",
    message: `The usage that ${id} told is partly wrong, and that part counts as unknown: ${faults.join("; ")}.`,
  };
}
