import { abortError, type Clock, onAbort, throwIfAborted } from "@tinyagents/core";

/** What something waits for before it goes on. */
export interface Hold {
  readonly gate?: PromiseLike<unknown> | undefined;
  /** Needs a clock. */
  readonly delayMs?: number | undefined;
}

/** Waits for the gate, then for the delay. @throws the signal's reason when it aborts first. */
export async function hold(
  { gate, delayMs }: Hold,
  clock: Clock | undefined,
  signal: AbortSignal | undefined,
): Promise<void> {
  throwIfAborted(signal);
  if (gate !== undefined) await unlessAborted(gate, signal);
  if (delayMs === undefined) return;
  if (clock === undefined) throw new TypeError("delayMs: a delay needs a clock, such as manualClock()");
  await clock.sleep(delayMs, signal);
}

/** Never resolves. @throws the signal's reason when it aborts. */
export function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  return unlessAborted(new Promise<never>(() => {}), signal);
}

function unlessAborted<T>(work: PromiseLike<T>, signal: AbortSignal | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const unlink = onAbort(signal, () => reject(abortError(signal?.reason)));
    work.then(
      (value) => {
        unlink();
        resolve(value);
      },
      (error: unknown) => {
        unlink();
        reject(error);
      },
    );
  });
}
