import { isTinyAgentsError, readThrown, TinyAgentsError } from "./errors.js";

/** Runs `callback` once when the signal aborts, at once when it has already; the result takes the listener away. */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (signal === undefined) return noop;
  if (signal.aborted) {
    callback();
    return noop;
  }
  // A listener of its own: the same callback may wait twice, and each wait ends alone.
  const listener = (): void => callback();
  signal.addEventListener("abort", listener, { once: true });
  return () => signal.removeEventListener("abort", listener);
}

/**
 * The error that a cancelled piece of work ends with. A reason that is one of ours (`timeout`, `limit_exceeded`) is
 * kept, so that whoever asks learns why the work was stopped; anything else becomes `cancelled` with it as cause. Of a
 * signal it is the signal's reason.
 */
export function abortError(from: unknown): TinyAgentsError {
  const reason: unknown = from instanceof AbortSignal ? from.reason : from;
  if (isTinyAgentsError(reason)) return reason;
  const said = readThrown(reason).message || undefined;
  return new TinyAgentsError(
    "cancelled",
    said === undefined ? "The work was cancelled." : `The work was cancelled: ${said}`,
    {
      details: said === undefined ? {} : { reason: said },
      cause: reason,
    },
  );
}

/** @throws the {@link abortError} of a signal that has aborted. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw abortError(signal.reason);
}

/** A signal of one call's own. */
export interface LinkedSignal {
  readonly signal: AbortSignal;
  /** @throws the {@link abortError} of the signal that it follows, if that has aborted. */
  throwIfAborted(): void;
  /** Takes the link away. The signal no longer aborts. */
  release(): void;
}

/**
 * A signal that follows the caller's until it is released: for SDKs that leave a listener on the one they are given,
 * since the caller's may live for many calls.
 */
export function linkedSignal(from: AbortSignal | undefined): LinkedSignal {
  const controller = new AbortController();
  const { signal } = controller;
  const release = onAbort(from, () => controller.abort(from?.reason));
  return { signal, throwIfAborted: () => throwIfAborted(signal), release };
}

function noop(): void {}
