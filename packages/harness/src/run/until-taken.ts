import type { CancelScope } from "./cancel-scope.js";

/**
 * Waits until a reader has taken what it was shown. A run that is cancelled waits for no reader: one that never comes
 * back cannot keep it.
 * @throws what whoever takes the items throws.
 */
export function untilTaken(taking: Promise<unknown>, cancellation: CancelScope): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancelled = { onCancelled: () => resolve() };
    cancellation.listen(cancelled);
    taking.then(
      () => {
        cancellation.unlisten(cancelled);
        resolve();
      },
      (error) => {
        cancellation.unlisten(cancelled);
        reject(error);
      },
    );
  });
}
