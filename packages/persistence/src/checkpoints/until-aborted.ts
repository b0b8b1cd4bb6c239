import { abortError, onAbort } from "@tinyagents/core";

/** What comes of work, or, as soon as the signal aborts, its error. The work is not stopped by that. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const unlink = onAbort(signal, () => reject(abortError(signal)));
    work.then(resolve, reject).finally(unlink);
  });
}
