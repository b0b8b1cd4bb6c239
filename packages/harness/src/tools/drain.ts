import type { LiveToolRuntime } from "./runtime.js";

/** A generator's yields are progress, its return value is the result. */
export async function drain(generator: AsyncGenerator<unknown, unknown>, runtime: LiveToolRuntime): Promise<unknown> {
  for (;;) {
    const { done, value } = await generator.next();
    if (done === true) return value;
    try {
      runtime.report(value);
    } catch (error) {
      await generator.return(undefined);
      throw error;
    }
    const showing = runtime.taken();
    if (showing !== undefined) await showing;
    if (runtime.scope.reason !== undefined) {
      await generator.return(undefined);
      throw runtime.scope.reason;
    }
  }
}

export function isAsyncGenerator(value: unknown): value is AsyncGenerator<unknown, unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    Symbol.asyncIterator in value &&
    typeof (value as { next?: unknown }).next === "function"
  );
}
