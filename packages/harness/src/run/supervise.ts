import { failRun } from "../machine/fail.js";
import type { CancelListener } from "./cancel-scope.js";
import type { LiveRun } from "./live-run.js";

/**
 * Waits for the work that moves a run. A cancelled run gets its grace to settle by itself; then it is failed without
 * what ignored the cancellation, on a copy of its state, so that whatever that does later changes nothing.
 */
export function supervise(run: LiveRun, work: Promise<void>): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    work.then(resolve, reject);
    run.cancellation.listen(new Grace(run, resolve, reject));
  });
}

/** What becomes of a run that is cancelled. */
class Grace implements CancelListener {
  readonly #run: LiveRun;
  readonly #resolve: () => void;
  readonly #reject: (error: unknown) => void;

  constructor(run: LiveRun, resolve: () => void, reject: (error: unknown) => void) {
    this.#run = run;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  onCancelled(): void {
    const run = this.#run;
    run.deadlines.after(run.graceMs, () => {
      run.leaveBehind();
      failRun(run, run.cancellation.reason).then(this.#resolve, this.#reject);
    });
  }
}
