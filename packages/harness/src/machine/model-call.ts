import {
  type ChatModel,
  type Clock,
  checkedStream,
  corruptStream,
  type Fallback,
  fallbackStream,
  isTinyAgentsError,
  type ModelDelta,
  type ModelRequest,
  type ModelResponse,
  type RandomSource,
  ResponseCollector,
  type RetryContext,
  retryStream,
  streamFault,
  TinyAgentsError,
  type Usage,
} from "@tinyagents/core";
import type { RunModel } from "../models/agent-models.js";
import { Breath } from "../run/breath.js";
import type { LiveRun, UnderWay } from "../run/live-run.js";
import { retriesUsedUp, takeRetry, type WantedRetry } from "../run/retry-budget.js";
import { CallTiming } from "./call-timing.js";
import { CallTokens } from "./call-tokens.js";
import { ModelAttempt } from "./model-attempt.js";
import { recordUsage } from "./record-usage.js";

/** One model call of the loop: its attempts, and what they add up to. Also what its retries need from around them. */
export class ModelCall implements RetryContext, UnderWay {
  readonly run: LiveRun;
  readonly callId: string;
  /** The model that it asks first, and those that it may turn to. */
  readonly chosen: RunModel;
  readonly startedAtMs: number;
  readonly timing: CallTiming;
  readonly collector: ResponseCollector;
  readonly tokens: CallTokens;
  /** Lets the event loop turn while fragments come without a pause. */
  readonly breath: Breath;
  /** Whether fragments are shown to anybody. */
  readonly watched: boolean;
  /** Whether watchers were told of its end. */
  told = false;
  /** The failure at which the run's retries were used up: the call makes no further attempt, whoever asks for one. */
  outOfRetries: TinyAgentsError | undefined;
  /** Whether any attempt got as far as the adapter. */
  reached = false;
  #request: ModelRequest | undefined;
  /** The first attempt is read as it is: nothing has been made yet for the case that it fails. */
  #unguarded = false;
  /** What the last attempt was asked, after all hooks and wraps. */
  #asked: ModelRequest | undefined;
  #attempt: ModelAttempt | undefined;
  /** The attempt under way has used up its time. */
  #timedOut: TinyAgentsError | undefined;

  constructor(run: LiveRun, callId: string, chosen: RunModel) {
    this.run = run;
    this.callId = callId;
    this.chosen = chosen;
    this.startedAtMs = run.clock.now();
    this.timing = new CallTiming(this.startedAtMs);
    this.breath = new Breath(run.clock, this.startedAtMs);
    this.watched = run.shows("messages") || run.wantsDeltas;
    this.collector = new ResponseCollector(chosen.resolved);
    this.tokens = new CallTokens(this.collector, run.definition.countTokens);
  }

  get name(): string {
    return `model ${this.collector.model.id}`;
  }
  get clock(): Clock {
    return this.run.clock;
  }
  get random(): RandomSource {
    return this.run.random;
  }
  get signal(): AbortSignal {
    return this.run.cancellation.signal;
  }

  /**
   * Attempts at the call, inside the wraps, as one stream. Where nothing stands around the model, it is the model's own,
   * of the first attempt, and {@link again} gives those that follow.
   */
  open(request: ModelRequest): AsyncIterable<ModelDelta> {
    this.#request = request;
    const { model, chain } = this.chosen;
    if (this.run.definition.hooks.aroundModel !== undefined) return this.#askInWraps(request);
    if (chain.length > 1 || !this.#repeats(model)) return this.#ask(request);
    this.#unguarded = true;
    try {
      return this.#begin(model, request);
    } catch (error) {
      return this.again(error);
    }
  }

  /** The attempts after one that failed. @throws its error where nothing repeats it, or something else has. */
  again(error: unknown): AsyncIterable<ModelDelta> {
    const request = this.#request;
    if (!this.#unguarded || request === undefined) throw error;
    this.#unguarded = false;
    return this.#retried(this.chosen.model, request, { error });
  }

  #askInWraps(request: ModelRequest): AsyncIterable<ModelDelta> {
    const { run } = this;
    const { aroundModel } = run.definition.hooks;
    return aroundModel?.(request, run.scope, (inner) => this.#ask(inner)) ?? this.#ask(request);
  }

  /** Waits for whoever is shown a fragment: their time is not the model's. */
  whileShown(taking: Promise<void>): Promise<void> {
    return this.run.waitForReader(taking, this.#attempt);
  }

  onRetry(retry: WantedRetry): boolean {
    this.endAttempt();
    const taken = takeRetry(this.run, this.callId, retry);
    if (!taken && retriesUsedUp(this.run)) this.outOfRetries = retry.error;
    return taken;
  }

  /** Names of the tools that the model was offered; nothing while they are the agent's own. */
  get offered(): readonly string[] | undefined {
    const { definition, state } = this.run;
    const template = state.finalizing ? definition.lastRequest : definition.request;
    const tools = (this.#asked ?? this.#request)?.tools;
    return tools === template.tools ? undefined : (tools ?? []).map(({ name }) => name);
  }

  /** How long the last attempt's answer might be, in tokens, where its request said so. */
  get maxOutputTokens(): number | undefined {
    return (this.#asked ?? this.#request)?.maxOutputTokens;
  }

  /** The adapter was told. If the run hangs on it all the same when the grace is over, the run ends. */
  attemptTimedOut(error: TinyAgentsError): void {
    const { run } = this;
    this.#timedOut = error;
    const attempt = this.#attempt;
    run.deadlines.after(run.graceMs, () => {
      if (attempt !== undefined && this.#attempt === attempt) run.cancel(error);
    });
  }

  endAttempt(): void {
    const attempt = this.#attempt;
    if (attempt === undefined) return;
    this.run.deadlines.met(attempt);
    this.timing.over(this.clock.now(), attempt.readerMs);
    attempt.close();
    this.#attempt = undefined;
  }

  /** Another attempt begins. A wrap may ask again while one is under way: when that one is over is not known then. */
  #leaveAttempt(): void {
    if (this.#attempt === undefined) return;
    this.timing.lost();
    this.endAttempt();
  }

  /** What a failure was: of an attempt whose time was up, whatever the adapter made of its signal, a timeout. */
  reasonOf(thrown: unknown): unknown {
    const vague = !isTinyAgentsError(thrown) || isTinyAgentsError(thrown, "network");
    return vague && this.#timedOut !== undefined ? this.#timedOut : thrown;
  }

  /** Takes a restart, before it is added up. */
  noteRestart({ reason, model }: ModelDelta & { readonly type: "restart" }): void {
    if (model === undefined) this.tokens.noteLostAttempt(reason, this.#request?.messages ?? []);
    this.timing.restarted(this.clock);
  }

  /** The response, when the stream has ended. @throws `network` when it was cut short. */
  response(): ModelResponse {
    this.endAttempt();
    return this.tokens.withLost(this.collector.response(this.timing.result(this.clock.now())));
  }

  /** Counts what a failed call cost, and tells of it. */
  fail(error: TinyAgentsError): void {
    const { run, callId } = this;
    recordUsage(run, callId, this.collector.model, this.#usageOfFailure(error));
    this.announceFailure(error);
  }

  announceFailure(error: TinyAgentsError): void {
    const { run, callId } = this;
    run.event()?.("model.failed", {
      callId,
      model: this.collector.model,
      error: error.toJSON(),
      elapsedMs: run.clock.now() - this.startedAtMs,
    });
  }

  leave(reason: TinyAgentsError): void {
    this.fail(reason);
  }

  #usageOfFailure(error: TinyAgentsError): Usage | undefined {
    const { run, collector } = this;
    const unfinished =
      collector.receivedChars > 0 || run.cancellation.reason !== undefined || isTinyAgentsError(error, "timeout");
    return this.tokens.ofFailure(this.reached && unfinished, this.#request?.messages ?? []);
  }

  #ask(request: ModelRequest): AsyncIterable<ModelDelta> {
    const { model, chain } = this.chosen;
    if (request.model !== this.#request?.model) throw chosenAlready(request.model);
    if (chain.length === 1) return this.#askModel(model, request);
    return fallbackStream(
      this.run.definition.policies.fallback ?? {},
      chain,
      request,
      (one) => this.#askModel(one, request),
      (fallback) => this.#noteFallback(fallback),
    );
  }

  #askModel(model: ChatModel, request: ModelRequest): AsyncIterable<ModelDelta> {
    return this.#repeats(model) ? this.#retried(model, request) : this.#begin(model, request);
  }

  /** Whether the run repeats attempts at a model that fail, rather than the model itself or middleware. */
  #repeats(model: ChatModel): boolean {
    const { retry, hooks } = this.run.definition;
    return !hooks.ownsRetry && model.ownsRetry !== true && retry.maxAttempts !== 1;
  }

  #retried(model: ChatModel, request: ModelRequest, failed?: { readonly error: unknown }): AsyncIterable<ModelDelta> {
    return retryStream(this.run.definition.retry, this, () => this.#begin(model, request), failed);
  }

  #noteFallback({ selected, error }: Fallback): void {
    const { run, callId } = this;
    this.endAttempt();
    run.throwIfCancelled();
    if (this.outOfRetries !== undefined) throw error;
    const usage = this.#usageOfFailure(error);
    this.tokens.forgetLost();
    const { model } = this.collector;
    if (usage !== undefined) recordUsage(run, callId, model, usage);
    run.event()?.("fallback.selected", {
      callId,
      failed: model,
      selected,
      code: error.code,
    });
  }

  #begin(model: ChatModel, request: ModelRequest): AsyncIterable<ModelDelta> {
    const { run } = this;
    this.#leaveAttempt();
    run.throwIfCancelled();
    if (this.outOfRetries !== undefined) throw this.outOfRetries;
    // The first attempt begins with its call.
    const nowMs = this.reached ? run.clock.now() : this.startedAtMs;
    this.timing.asked(nowMs);
    const attempt = new ModelAttempt(this, nowMs, request.timeoutMs ?? run.state.config.limits.modelTimeoutMs);
    run.deadlines.add(attempt);
    this.#asked = request;
    this.#attempt = attempt;
    this.#timedOut = undefined;
    this.reached = true;
    return this.#read(model, model.stream(request, attempt), attempt);
  }

  /**
   * Without wraps, the collector looks at each fragment; with them, what the model gave is told from what they gave, and
   * an attempt is over when its own stream is: a wrap may wait after it.
   */
  #read(model: ChatModel, stream: AsyncIterable<ModelDelta>, attempt: ModelAttempt): AsyncIterable<ModelDelta> {
    if (this.run.definition.hooks.aroundModel !== undefined) {
      return checkedStream(stream, (fault, delta) => corruptStream(model.id, fault, delta), {
        due: () => this.breath.due(),
        over: () => this.#attempt === attempt && this.endAttempt(),
      });
    }
    const fault = streamFault(stream);
    if (fault !== undefined) throw corruptStream(model.id, fault);
    return stream;
  }
}

/** Wraps stand around the call of a model that has been chosen: naming another one there would do nothing. */
function chosenAlready(model: string | undefined): TinyAgentsError<"invalid_request"> {
  return new TinyAgentsError(
    "invalid_request",
    `A wrapModel hook names the model ${model ?? "(none)"} for a call whose model was chosen before. Name it in beforeModel.`,
    { details: { reason: "model_named_in_wrap" } },
  );
}
