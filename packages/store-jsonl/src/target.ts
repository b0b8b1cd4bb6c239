/** What came of one operation of a burst. */
export type Outcome<T> = { readonly value: T } | { readonly error: unknown };

/** What can be written to while the lock is held: one stream, or the keyed records. */
export interface Target<Operation, Result> {
  /** Does operations in order, in one write where that can be. Gives what came of each; when it throws, none is done. */
  commit(operations: readonly Operation[]): Promise<readonly Outcome<Result>[]>;
  /** Takes away what nobody needs, when that is due. Nothing is lost when it fails. */
  tidy(): Promise<void>;
  /** Before the lock is let go. */
  letGo(): Promise<void>;
}

/** What each operation comes to, planned one after another: the value, or the error that its planning threw. */
export function outcomesOf<Operation, T>(
  operations: readonly Operation[],
  plan: (operation: Operation) => T,
): readonly Outcome<T>[] {
  return operations.map((operation) => {
    try {
      return { value: plan(operation) };
    } catch (error) {
      return { error };
    }
  });
}
