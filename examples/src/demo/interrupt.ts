import { endNow } from "./end-program.js";

/** What Ctrl-C does: the first one cancels, the second ends the program at once. */
export interface Interruption {
  readonly signal: AbortSignal;
  /** Gives the signals back to the system. */
  release(): void;
}

const INTERRUPTED = 130;

export function onInterrupt(): Interruption {
  const controller = new AbortController();
  const handle = (): void => {
    if (controller.signal.aborted) endNow(INTERRUPTED);
    controller.abort("interrupted");
  };
  process.on("SIGINT", handle);
  process.on("SIGTERM", handle);
  return {
    signal: controller.signal,
    release() {
      process.off("SIGINT", handle);
      process.off("SIGTERM", handle);
    },
  };
}
