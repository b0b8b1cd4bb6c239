import {
  type ControlBy,
  type ModelCallContext,
  type ModelDelta,
  type ModelHandler,
  type ModelRequest,
  type ModelResponse,
  ResponseCollector,
  type RetryContext,
  retryStream,
  TinyAgentsError,
} from "@tinyagents/core";
import { CancelScope } from "../run/cancel-scope.js";
import type { Deadline } from "../run/deadlines.js";
import type { LiveRun } from "../run/live-run.js";
import { settle } from "../run/settle.js";

/** One attempt at a model call, as the adapter sees it: its signal fires when the run ends or its time is up. */
class Attempt implements ModelCallContext {
  readonly scope: CancelScope;
  readonly delivery: "incremental" | "whole";
  readonly runId: string;
  readonly callId: string;
  deadline: Deadline | undefined;

  constructor(run: LiveRun, callId: string, delivery: "incremental" | "whole") {
    this.scope = new CancelScope(run.cancellation);
    this.runId = run.state.config.runId;
    this.callId = callId;
    this.delivery = delivery;
  }

  get signal(): AbortSignal {
    return this.scope.signal;
  }
}

/** One model call of the loop: attempts, the response they add up to, and what watchers see of it. */
export class ModelCall {
  readonly callId: string;
  readonly startedAtMs: number;
  readonly collector: ResponseCollector;
  /** What a hook after the call asked for. */
  control: ControlBy | undefined;
  /** Whether any attempt got as far as the adapter. */
  reached = false;
  readonly #run: LiveRun;
  readonly #request: ModelRequest;
  #attempt: Attempt | undefined;
  #giveUp: ((error: TinyAgentsError) => void) | undefined;

  constructor(run: LiveRun, request: ModelRequest, callId: string) {
    this.#run = run;
    this.#request = request;
    this.callId = callId;
    this.startedAtMs = run.clock.now();
    this.collector = new ResponseCollector(run.definition.resolvedModel);
  }

  /** @throws what the last attempt failed with; the run's own reason when it was cancelled. */
  async run(): Promise<ModelResponse> {
    const run = this.#run;
    const { hooks } = run.definition;
    const ask: ModelHandler = (request) => this.#ask(request);
    const stream =
      hooks.aroundModel === undefined ? ask(this.#request) : hooks.aroundModel(this.#request, run.scope, ask);
    try {
      await settle(run, this.#consume(stream), `model ${run.definition.model.id}`, (giveUp) => {
        this.#giveUp = giveUp;
      });
    } finally {
      this.#endAttempt();
    }
    run.throwIfCancelled();
    return this.collector.response();
  }

  async #consume(stream: AsyncIterable<ModelDelta>): Promise<void> {
    const { collector } = this;
    const run = this.#run;
    const watched = run.showsMessages || run.wantsDeltas;
    for await (const delta of stream) {
      collector.add(delta);
      if (watched) {
        const shown = this.#show(delta);
        if (shown !== undefined) await shown;
      }
      if (run.cancellation.reason !== undefined) return;
    }
  }

  #ask(request: ModelRequest): AsyncIterable<ModelDelta> {
    const { definition } = this.#run;
    const once = (): AsyncIterable<ModelDelta> => this.#begin(request);
    if (definition.hooks.ownsRetry || definition.retry.maxAttempts === 1) return once();
    return retryStream(definition.retry, this.#retryContext(), once);
  }

  #begin(request: ModelRequest): AsyncIterable<ModelDelta> {
    const run = this.#run;
    this.#endAttempt();
    const attempt = new Attempt(run, this.callId, run.showsMessages ? "incremental" : "whole");
    const limitMs = request.timeoutMs ?? run.state.config.limits.modelTimeoutMs;
    attempt.deadline = run.deadlines.add(limitMs, () => this.#timeOut(attempt, limitMs));
    this.#attempt = attempt;
    this.reached = true;
    return run.definition.model.stream(request, attempt);
  }

  /** The adapter is told; if nothing has moved when the grace is over, the call ends without it. */
  #timeOut(attempt: Attempt, limitMs: number): void {
    const { id } = this.#run.definition.model;
    const error = new TinyAgentsError("timeout", `The model ${id} did not answer within ${limitMs} ms.`, {
      details: { scope: "model_call", limitMs, name: id },
    });
    attempt.scope.cancel(error);
    attempt.deadline = this.#run.deadlines.add(this.#run.graceMs, () => {
      if (this.#attempt === attempt) this.#giveUp?.(error);
    });
  }

  #endAttempt(): void {
    const attempt = this.#attempt;
    if (attempt === undefined) return;
    if (attempt.deadline !== undefined) this.#run.deadlines.met(attempt.deadline);
    attempt.scope.close();
    this.#attempt = undefined;
  }

  #retryContext(): RetryContext {
    const run = this.#run;
    return {
      clock: run.clock,
      random: run.random,
      get signal() {
        return run.cancellation.signal;
      },
      onRetry: ({ attempt, delayMs, error }) => {
        this.#endAttempt();
        const { counters, config } = run.state;
        if (run.cancellation.reason !== undefined || counters.retries >= config.limits.maxRetries) return false;
        counters.retries++;
        run.event()?.("retry.scheduled", { callId: this.callId, attempt: attempt + 1, delayMs, code: error.code });
        return true;
      },
    };
  }

  #show(delta: ModelDelta): void | Promise<void> {
    const run = this.#run;
    if (run.wantsDeltas) this.#emitDelta(delta);
    if (!run.showsMessages) return;
    const { runId } = run.state.config;
    const { callId } = this;
    switch (delta.type) {
      case "text":
      case "reasoning":
      case "refusal":
        return run.show?.({ type: delta.type, runId, callId, index: delta.index, text: delta.text });
      case "tool_call_start":
        return run.show?.({ type: delta.type, runId, callId, index: delta.index, id: delta.id, name: delta.name });
      case "tool_call_args":
        return run.show?.({ type: delta.type, runId, callId, index: delta.index, args: delta.args });
      case "restart":
        return run.show?.({ type: delta.type, runId, callId, attempt: delta.attempt, reason: delta.reason });
      case "block":
        return this.#showBlock(delta);
      default:
        return;
    }
  }

  /** A whole block is shown as the fragment it might have been. */
  #showBlock({ index, block }: ModelDelta & { readonly type: "block" }): void | Promise<void> {
    const run = this.#run;
    const { runId } = run.state.config;
    if (block.type === "text" || block.type === "reasoning" || block.type === "refusal") {
      return run.show?.({ type: block.type, runId, callId: this.callId, index, text: block.text });
    }
    if (block.type === "tool_call") {
      return run.show?.({ type: "tool_call_start", runId, callId: this.callId, index, id: block.id, name: block.name });
    }
  }

  /** Fragments are numbered inside their call, so that a repeat that streams differently moves no other event. */
  #emitDelta(delta: ModelDelta): void {
    const run = this.#run;
    run.emitDelta("model.delta", {
      callId: this.callId,
      deltaType: delta.type,
      chars: charsOf(delta),
      ...(run.wantsPayloads ? { payload: { delta } } : {}),
    });
  }
}

function charsOf(delta: ModelDelta): number {
  if (delta.type === "text" || delta.type === "reasoning" || delta.type === "refusal") return delta.text.length;
  return delta.type === "tool_call_args" ? delta.args.length : 0;
}
