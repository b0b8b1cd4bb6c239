import { abortError, onAbort } from "@tinyagents/core";

/** One call's own signal: the SDK leaves a listener on the one it is given, and the caller's lives longer. */
export interface Connection {
  readonly signal: AbortSignal;
  /** @throws why the call was stopped, if it was. */
  throwIfStopped(): void;
  release(): void;
}

/** A signal that follows the caller's until it is released. */
export function connect(signal: AbortSignal | undefined): Connection {
  const controller = new AbortController();
  const unlink = onAbort(signal, () => controller.abort(signal?.reason));
  return {
    signal: controller.signal,
    throwIfStopped() {
      if (controller.signal.aborted) throw abortError(controller.signal.reason);
    },
    release: unlink,
  };
}
