import { abortError, onAbort } from "@tinyagents/core";

let pending = 0;

/** The work's outcome, or the abort error as soon as the signal aborts: a read that hangs cannot be taken back. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  pending += 1;
  return new Promise((resolve, reject) => {
    const release = onAbort(signal, () => reject(abortError(signal?.reason)));
    const settled = (): void => {
      pending -= 1;
      release();
    };
    work.then(resolve, reject).then(settled);
  });
}

/** Whether work that somebody waited for, or has given up, is still going on. */
export function worksOn(): boolean {
  return pending > 0;
}
