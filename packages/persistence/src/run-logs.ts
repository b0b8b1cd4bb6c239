import { RunLog, type RunLogOptions } from "./run-log.js";

/** Of how many runs that nobody owns here the state of their logs is kept in mind. */
const KEPT_IN_MIND = 4_096;

/** The logs that a recorder has in mind: those of runs that are owned here, and of others those that were used last. */
export class RunLogs {
  readonly #optionsOf: (runId: string) => RunLogOptions;
  readonly #owned = new Map<string, RunLog>();
  /** In the order in which they were used last. */
  readonly #others = new Map<string, RunLog>();

  constructor(optionsOf: (runId: string) => RunLogOptions) {
    this.#optionsOf = optionsOf;
  }

  /** Does something with the log of a run. One that is not in mind is read again first. */
  async use<T>(runId: string, work: (log: RunLog) => Promise<T>): Promise<T> {
    const log = this.#open(runId);
    try {
      return await work(log);
    } finally {
      this.#keep(runId, log);
    }
  }

  #open(runId: string): RunLog {
    const owned = this.#owned.get(runId);
    if (owned !== undefined) return owned;
    const known = this.#others.get(runId);
    const log = known ?? new RunLog(this.#optionsOf(runId));
    this.#others.delete(runId);
    this.#others.set(runId, log);
    if (known === undefined && this.#others.size > KEPT_IN_MIND) this.#forgetOldest();
    return log;
  }

  #keep(runId: string, log: RunLog): void {
    const [from, to] = log.owned ? [this.#others, this.#owned] : [this.#owned, this.#others];
    if (from.get(runId) === log) {
      from.delete(runId);
      to.set(runId, log);
    }
    if (log.finished && to.get(runId) === log) to.delete(runId);
  }

  /** Makes room: of the runs for which nothing is under way, the one that was used the longest time ago. */
  #forgetOldest(): void {
    for (const [runId, log] of this.#others) {
      if (!log.idle || log.owned) continue;
      this.#others.delete(runId);
      return;
    }
  }
}
