import { type ModelCallContext, TinyAgentsError } from "@tinyagents/core";
import { CancelScope } from "../run/cancel-scope.js";
import type { Deadline } from "../run/deadlines.js";
import type { ModelCall } from "./model-call.js";

/**
 * One attempt at a model call. To the adapter it is the call's context: its signal fires when the run ends or the
 * attempt's time is up. To the run it is the deadline of that time.
 */
export class ModelAttempt implements ModelCallContext, Deadline {
  atMs: number;
  place = -1;
  readonly #call: ModelCall;
  readonly #limitMs: number;
  readonly #dueAtMs: number;
  #scope: CancelScope | undefined;

  constructor(call: ModelCall, nowMs: number, limitMs: number) {
    this.#call = call;
    this.#limitMs = limitMs;
    this.#dueAtMs = nowMs + limitMs;
    this.atMs = this.#dueAtMs;
  }

  /** For how long readers have held it up, ms: so much later it is due. */
  get readerMs(): number {
    return this.atMs - this.#dueAtMs;
  }

  get delivery(): "incremental" | "whole" {
    const { run } = this.#call;
    const watched = run.shows("messages") || run.wantsDeltas || run.definition.hooksDeltas;
    return watched ? "incremental" : "whole";
  }

  get runId(): string {
    return this.#call.run.state.config.runId;
  }

  get callId(): string {
    return this.#call.callId;
  }

  get scope(): CancelScope {
    this.#scope ??= new CancelScope(this.#call.run.cancellation);
    return this.#scope;
  }

  get signal(): AbortSignal {
    return this.scope.signal;
  }

  onPassed(): void {
    const { name } = this.#call;
    const error = new TinyAgentsError("timeout", `The ${name} did not answer within ${this.#limitMs} ms.`, {
      details: { scope: "model_call", limitMs: this.#limitMs, name },
    });
    this.scope.cancel(error);
    this.#call.attemptTimedOut(error);
  }

  close(): void {
    this.#scope?.close();
  }
}
