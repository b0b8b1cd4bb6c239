import type { TinyAgentsError } from "@tinyagents/core";
import type { LiveRun } from "./live-run.js";

/**
 * Waits for work that may ignore the run's end. When the run is cancelled the work gets the grace to settle by itself;
 * then the wait ends without it, and its name is noted. `onGiveUp` is handed what ends the wait early for other reasons.
 */
export function settle<T>(
  run: LiveRun,
  work: Promise<T>,
  name: string,
  onGiveUp?: (giveUp: (error: TinyAgentsError) => void) => void,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    let open = true;
    const end = (): boolean => {
      const first = open;
      open = false;
      unlink();
      return first;
    };
    const unlink = run.cancellation.onCancel(() => {
      run.deadlines.add(run.graceMs, () => {
        if (!open) return;
        open = false;
        run.ignoredBy.push(name);
        reject(run.cancellation.reason);
      });
    });
    onGiveUp?.((error) => {
      if (end()) reject(error);
    });
    work.then(
      (value) => {
        if (end()) resolve(value);
      },
      (error) => {
        if (end()) reject(error);
      },
    );
  });
}
