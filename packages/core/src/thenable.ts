/** Whether a value has to be waited for. Promises of other realms and libraries count: all they share is `then`. */
export function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as { readonly then?: unknown } | null | undefined)?.then === "function";
}
