import type { Clock } from "../clock.js";
import { type AnyTinyAgentsError, type ErrorCode, isTinyAgentsError, TinyAgentsError } from "../errors.js";
import type { RandomSource } from "../ids.js";
import { cutShortError } from "./cut-short.js";
import type { ModelDelta } from "./delta.js";

/** When to try again, as data. */
export interface RetryPolicy {
  /** Attempts in all, the first included. 1 means never again. Default 3. */
  readonly maxAttempts?: number;
  /** The first wait, ms. Default 500. Each further one is `factor` times as long. */
  readonly initialDelayMs?: number;
  /** Default 2. */
  readonly factor?: number;
  /** The longest wait of ours, ms. Default 30,000. */
  readonly maxDelayMs?: number;
  /** The longest wait that a server may ask for, ms; one that asks for more is not believed. Default 120,000. */
  readonly maxRetryAfterMs?: number;
  /** `full`: a random part of the wait, so that clients spread out. Default `full`. */
  readonly jitter?: "full" | "none";
  /** Codes to repeat in place of what the error itself says. Control outcomes are never repeated. */
  readonly codes?: readonly ErrorCode[];
}

/** Where a policy leaves it out. */
export const RETRY_DEFAULTS: Required<Omit<RetryPolicy, "codes">> = {
  maxAttempts: 3,
  initialDelayMs: 500,
  factor: 2,
  maxDelayMs: 30_000,
  maxRetryAfterMs: 120_000,
  jitter: "full",
};

/** What to do about a failure. */
export type RetryDecision =
  | { readonly retry: true; readonly delayMs: number }
  | { readonly retry: false; readonly why: "not_retryable" | "attempts_used" };

/** Outcomes that somebody wanted: no policy can make them repeat. */
const NEVER: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "cancelled",
  "limit_exceeded",
  "recursion_limit",
  "retry_exhausted",
  "no_progress",
  "tool_denied",
]);

/** Whether, and after how long, attempt `attempt` (1 is the first) is followed by another. Pure but for `random`. */
export function decideRetry(policy: RetryPolicy, attempt: number, error: unknown, random: RandomSource): RetryDecision {
  if (!isTinyAgentsError(error) || NEVER.has(error.code)) return { retry: false, why: "not_retryable" };
  const wanted = policy.codes === undefined ? error.retryable : policy.codes.includes(error.code);
  if (!wanted) return { retry: false, why: "not_retryable" };
  if (attempt >= (policy.maxAttempts ?? RETRY_DEFAULTS.maxAttempts)) return { retry: false, why: "attempts_used" };
  return { retry: true, delayMs: retryHint(policy, error) ?? backoff(policy, attempt, random) };
}

/** The wait before the attempt after `attempt`, ms. */
export function backoff(policy: RetryPolicy, attempt: number, random: RandomSource): number {
  const {
    initialDelayMs = RETRY_DEFAULTS.initialDelayMs,
    factor = RETRY_DEFAULTS.factor,
    maxDelayMs = RETRY_DEFAULTS.maxDelayMs,
    jitter = RETRY_DEFAULTS.jitter,
  } = policy;
  const delayMs = Math.min(maxDelayMs, initialDelayMs * Math.min(Number.MAX_VALUE, factor ** (attempt - 1)));
  return jitter === "none" ? delayMs : Math.round(delayMs * random());
}

/** What the server asked for, when it can be believed. */
function retryHint(policy: RetryPolicy, error: AnyTinyAgentsError): number | undefined {
  const { retryAfterMs: hintMs } = (error.details ?? {}) as { readonly retryAfterMs?: unknown };
  if (
    typeof hintMs !== "number" ||
    !(hintMs >= 0) ||
    hintMs > (policy.maxRetryAfterMs ?? RETRY_DEFAULTS.maxRetryAfterMs)
  )
    return undefined;
  return hintMs;
}

/** What repeating needs from around it. */
export interface RetryContext {
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly signal: AbortSignal | undefined;
  /** Called before each wait. Answering false forbids the retry: the run's own budget is used up. */
  onRetry?(retry: { readonly attempt: number; readonly delayMs: number; readonly error: AnyTinyAgentsError }): boolean;
}

/**
 * Repeats a model call that may succeed next time. Readers drop what they saw at `restart`. Fragments pass through
 * without a layer of their own. `failed`: what a first attempt has failed with that was made elsewhere; then this begins
 * with what follows on it.
 * @throws the failure itself when it was not worth repeating, `retry_exhausted` (with it as cause) after repeats.
 */
export function retryStream(
  policy: RetryPolicy,
  context: RetryContext,
  attemptOnce: () => AsyncIterable<ModelDelta>,
  failed?: { readonly error: unknown },
): AsyncIterableIterator<ModelDelta, undefined, undefined> {
  return new RetriedStream(policy, context, attemptOnce, failed);
}

type Awaitable<T> = T | Promise<T>;

class RetriedStream implements AsyncIterableIterator<ModelDelta, undefined, undefined> {
  readonly #policy: RetryPolicy;
  readonly #context: RetryContext;
  readonly #attemptOnce: () => AsyncIterable<ModelDelta>;
  readonly #onResult = (result: IteratorResult<ModelDelta>): Awaitable<IteratorResult<ModelDelta, undefined>> =>
    this.#pass(result);
  readonly #onFailure = (error: unknown): Promise<IteratorResult<ModelDelta, undefined>> => this.#repeat(error);
  #source: AsyncIterator<ModelDelta> | undefined;
  #attempt = 1;
  /** The attempt under way has had its finish. */
  #finished = false;
  /** The visible text of the attempt under way. */
  #text = "";
  #over = false;
  /** The failure of a first attempt that was made elsewhere, until it has been looked at. */
  #failed: { readonly error: unknown } | undefined;

  constructor(
    policy: RetryPolicy,
    context: RetryContext,
    attemptOnce: () => AsyncIterable<ModelDelta>,
    failed: { readonly error: unknown } | undefined,
  ) {
    this.#failed = failed;
    this.#policy = policy;
    this.#context = context;
    this.#attemptOnce = attemptOnce;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<ModelDelta, undefined>> {
    if (this.#over) return Promise.resolve({ value: undefined, done: true });
    const failed = this.#failed;
    if (failed !== undefined) {
      this.#failed = undefined;
      return this.#repeat(failed.error);
    }
    try {
      this.#source ??= this.#attemptOnce()[Symbol.asyncIterator]();
      return Promise.resolve(this.#source.next()).then(this.#onResult, this.#onFailure);
    } catch (error) {
      return this.#repeat(error);
    }
  }

  async return(): Promise<IteratorResult<ModelDelta, undefined>> {
    this.#over = true;
    await this.#source?.return?.();
    return { value: undefined, done: true };
  }

  /**
   * An attempt that ends without a finish was cut short: that is a failure like any other. Fragments may be anything
   * still: whoever adds them up looks at them.
   */
  #pass(result: IteratorResult<ModelDelta>): Awaitable<IteratorResult<ModelDelta, undefined>> {
    if (result.done === true) {
      return this.#finished ? { value: undefined, done: true } : this.#repeat(cutShortError(this.#text));
    }
    const delta = result.value as ModelDelta | undefined | null;
    if (delta?.type === "text" && typeof delta.text === "string") this.#text += delta.text;
    else if (delta?.type === "finish") this.#finished = true;
    return result;
  }

  async #repeat(error: unknown): Promise<IteratorResult<ModelDelta, undefined>> {
    this.#source = undefined;
    try {
      const delayMs = waitBeforeNext(this.#policy, this.#context, this.#attempt, error);
      await this.#context.clock.sleep(delayMs, this.#context.signal);
    } catch (failure) {
      this.#over = true;
      throw failure;
    }
    this.#attempt++;
    this.#text = "";
    return {
      value: { type: "restart", attempt: this.#attempt, reason: (error as AnyTinyAgentsError).code },
      done: false,
    };
  }
}

/** The same for any other piece of work: a tool, a store. */
export async function retryCall<T>(
  policy: RetryPolicy,
  context: RetryContext,
  attemptOnce: (attempt: number) => T | Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await attemptOnce(attempt);
    } catch (error) {
      await context.clock.sleep(waitBeforeNext(policy, context, attempt, error), context.signal);
    }
  }
}

/** How long to wait before the next attempt. @throws when there is none. */
function waitBeforeNext(policy: RetryPolicy, context: RetryContext, attempt: number, error: unknown): number {
  const decision = decideRetry(policy, attempt, error, context.random);
  const mayRepeat = decision.retry && isTinyAgentsError(error);
  if (mayRepeat && (context.onRetry?.({ attempt, delayMs: decision.delayMs, error }) ?? true)) return decision.delayMs;
  if (attempt === 1 || !isTinyAgentsError(error) || (!decision.retry && decision.why === "not_retryable")) throw error;
  throw new TinyAgentsError(
    "retry_exhausted",
    `Gave up after ${attempt} attempts. The last one failed: ${error.message}`,
    {
      details: { attempts: attempt, lastCode: error.code },
      cause: error,
    },
  );
}
