import { abortError, onAbort } from "@tinyagents/core";

/** One call's own signal, which can be handed on: the caller's lives longer, and must keep no listeners of ours. */
export interface Connection {
  readonly signal: AbortSignal;
  /** @throws why the call was stopped, if it was. */
  throwIfStopped(): void;
  release(): void;
}

/** A connection that stops when the caller's signal does. */
export function connect(signal: AbortSignal | undefined): Connection {
  const controller = new AbortController();
  const release = onAbort(signal, () => controller.abort(signal?.reason));
  return {
    signal: controller.signal,
    throwIfStopped() {
      if (controller.signal.aborted) throw abortError(controller.signal.reason);
    },
    release,
  };
}
