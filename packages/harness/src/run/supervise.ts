import { failRun } from "../machine/fail.js";
import type { LiveRun } from "./live-run.js";

/**
 * Waits for the work that moves a run. A cancelled run gets its grace to settle by itself; then it is failed without
 * what ignored the cancellation, on a copy of its state, so that whatever that does later changes nothing.
 */
export function supervise(run: LiveRun, work: Promise<void>): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    work.then(resolve, reject);
    run.cancellation.onCancel(() => {
      run.deadlines.after(run.graceMs, () => {
        run.leaveBehind();
        failRun(run, run.cancellation.reason).then(resolve, reject);
      });
    });
  });
}
