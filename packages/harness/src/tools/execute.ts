import {
  type RetryContext,
  type RetryPolicy,
  retryCall,
  type ToolInvocation,
  type ToolRuntime,
  toolError,
} from "@tinyagents/core";
import type { Awaitable } from "../awaitable.js";
import type { LiveRun } from "../run/live-run.js";
import { takeToolRetry } from "../run/retry-budget.js";
import { Attempt } from "./attempt.js";
import { type Executed, failedMessage, finish } from "./finish.js";
import type { PreparedCall } from "./prepare.js";
import { LiveToolRuntime } from "./runtime.js";

/** Told what came of a call: one of both, once. */
export interface CallEnd {
  ended(executed: Executed): void;
  /** With what ends the run: its cancellation, failures of stores that it needs. */
  failed(error: unknown): void;
}

/**
 * Runs a tool: attempts, each with its time limit, then the result within its cap. A failing tool gives a result that
 * says so. `end` is told before this returns when the tool, its check and its result are synchronous.
 */
export function execute(run: LiveRun, prepared: PreparedCall, resumed: ToolRuntime["resumed"], end: CallEnd): void {
  const { retry } = prepared.invocation.policy;
  if (retry !== undefined) tellOf(withRetries(run, prepared, retry, resumed), end);
  else new OnlyAttempt(run, prepared, new LiveToolRuntime(run, prepared.invocation, 1, resumed), end).start();
}

/** The same for whoever waits. @throws what ends the run. */
export function executeAsync(run: LiveRun, prepared: PreparedCall, resumed: ToolRuntime["resumed"]): Promise<Executed> {
  return new Promise((ended, failed) => execute(run, prepared, resumed, { ended, failed }));
}

/** Tells of a call's end when it has come. */
export function tellOf(executing: Promise<Executed>, end: CallEnd): void {
  executing.then(
    (executed) => end.ended(executed),
    (error) => end.failed(error),
  );
}

/** The attempt of a call without retries: how it ends is what came of the call. */
class OnlyAttempt extends Attempt {
  readonly #end: CallEnd;

  constructor(run: LiveRun, prepared: PreparedCall, runtime: LiveToolRuntime, end: CallEnd) {
    super(run, prepared, runtime);
    this.#end = end;
  }

  protected done(value: unknown): void {
    let finished: Awaitable<Executed>;
    try {
      finished = finish(this.run, this.prepared, this.runtime, value, this.startedAtMs);
    } catch (error) {
      this.#end.failed(error);
      return;
    }
    if (finished instanceof Promise) tellOf(finished, this.#end);
    else this.#end.ended(finished);
  }

  protected broke(thrown: unknown): void {
    let failed: Executed;
    try {
      failed = failedMessage(this.run, this.prepared.invocation, thrown, this.startedAtMs, 1);
    } catch (error) {
      this.#end.failed(error);
      return;
    }
    this.#end.ended(failed);
  }
}

/** One attempt of several: whoever repeats them waits for its end. */
class RepeatedAttempt extends Attempt {
  protected done: (value: unknown) => void = ignore;
  protected broke: (error: unknown) => void = ignore;

  runOnce(): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.done = resolve;
      this.broke = reject;
      this.start();
    });
  }
}

function ignore(): void {}

/** A tool that has a retry policy is tried again after any failure of its own, unless the policy names codes. */
async function withRetries(
  run: LiveRun,
  prepared: PreparedCall,
  policy: RetryPolicy,
  resumed: ToolRuntime["resumed"],
): Promise<Executed> {
  const call = prepared.invocation;
  const startedAtMs = run.clock.now();
  let runtime = new LiveToolRuntime(run, call, 1, resumed);
  let value: unknown;
  try {
    value = await retryCall(policy, retryContext(run, call), async (number) => {
      runtime = new LiveToolRuntime(run, number === 1 ? call : { ...call, attempt: number }, number, resumed);
      try {
        return await new RepeatedAttempt(run, prepared, runtime).runOnce();
      } catch (error) {
        throw toolError(call.name, call.id, error, { retryable: true });
      }
    });
  } catch (error) {
    return failedMessage(run, call, error, startedAtMs, runtime.attempt);
  }
  return finish(run, prepared, runtime, value, startedAtMs);
}

function retryContext(run: LiveRun, call: ToolInvocation): RetryContext {
  return {
    clock: run.clock,
    random: run.random,
    get signal() {
      return run.cancellation.signal;
    },
    onRetry: (retry) => takeToolRetry(run, call.id, retry),
  };
}
