import { abortError, onAbort, type StoreCallOptions, type StoreGate } from "@tinyagents/core";

/**
 * Passes the gate and does the work. A signal that aborts ends the wait at once; the work, which the driver cannot always
 * be told to stop, goes on to where nothing is half done, and closing waits for it.
 */
export function call<T>(
  gate: StoreGate,
  operation: string,
  options: StoreCallOptions | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const signal = options?.signal;
  const working = gate.run(operation, options, work);
  if (signal === undefined) return working;
  return new Promise((resolve, reject) => {
    const unlink = onAbort(signal, () => reject(abortError(signal)));
    const settle = (how: () => void): void => {
      unlink();
      how();
    };
    working.then(
      (value) => settle(() => resolve(value)),
      (error: unknown) => settle(() => reject(error)),
    );
  });
}
