import { setImmediate as nextTurn } from "node:timers/promises";
import { systemClock, throwIfAborted } from "@tinyagents/core";
import { isBusy } from "./to-error.js";

/** So long calls may keep a turn of the event loop to themselves, ms. */
const SLICE_MS = 10;
/** The longest wait between two attempts to get a lock, ms. */
const LONGEST_DELAY_MS = 8;
/** Whoever has waited for this part of the timeout asks as often as timers let it: chance favours those who ask most. */
const IMPATIENT_AFTER = 0.1;
/** For so long after the lock was found taken, others are taken to want it too, ms. */
const CONTENDED_MS = 1_000;

/** Shares the event loop between synchronous calls and everything else in the process. */
export class Breath {
  #startedMs: number | undefined;

  /** Whether this turn of the event loop has time for more. */
  hasTime(): boolean {
    const now = systemClock.now();
    if (this.#startedMs === undefined) {
      this.#startedMs = now;
      setImmediate(() => {
        this.#startedMs = undefined;
      });
    }
    // A clock that is set back is no reason to wait, nor to go on for ever.
    return Math.abs(now - this.#startedMs) < SLICE_MS;
  }

  /** Resolves when this turn has time, with the next at the latest. */
  async take(): Promise<void> {
    while (!this.hasTime()) await nextTurn();
  }
}

/**
 * Calls, one after the other, that may find the database locked. They are done at once where nothing is in their way; else
 * each waits for those before it and for the lock, and leaves the event loop free meanwhile.
 */
export class Turns {
  #last: Promise<void> | undefined;
  /** Since when nobody got the lock. */
  #lockedSinceMs: number | undefined;
  /** Until then a call leaves others a moment to take the lock: who has just had it would be the first to take it again. */
  #contendedUntilMs = 0;

  constructor(
    readonly breath: Breath,
    readonly busyTimeoutMs: number,
  ) {}

  /**
   * Does the work when its turn has come. Work that finds the database locked must have done nothing; it is repeated.
   * @throws what the work throws; that the database is locked, after the timeout; `cancelled`.
   */
  run<T>(work: () => T, signal: AbortSignal | undefined): Promise<T> {
    if (this.#last === undefined && !this.#isContended() && this.breath.hasTime()) {
      const done = this.#attempt(work);
      if (done !== undefined) return Promise.resolve(done.result);
    }
    const before = this.#last;
    const outcome = this.#after(before, work, signal, systemClock.now());
    const over = outcome.then(noop, noop);
    this.#last = over;
    void over.then(() => {
      if (this.#last === over) this.#last = undefined;
    });
    return outcome;
  }

  async #after<T>(
    before: Promise<void> | undefined,
    work: () => T,
    signal: AbortSignal | undefined,
    startedMs: number,
  ): Promise<T> {
    await before;
    await this.breath.take();
    if (this.#isContended()) await systemClock.sleep(1, signal);
    for (let attempt = 0; ; attempt++) {
      throwIfAborted(signal);
      const waitedMs = systemClock.now() - Math.max(startedMs, this.#lockedSinceMs ?? startedMs);
      const done = this.#attempt(work, waitedMs >= this.busyTimeoutMs);
      if (done !== undefined) return done.result;
      const isImpatient = waitedMs > this.busyTimeoutMs * IMPATIENT_AFTER;
      await systemClock.sleep(isImpatient ? 1 : Math.min(2 ** attempt, LONGEST_DELAY_MS), signal);
    }
  }

  #isContended(): boolean {
    return systemClock.now() < this.#contendedUntilMs;
  }

  /** Nothing: it was locked. */
  #attempt<T>(work: () => T, isLast = false): { readonly result: T } | undefined {
    try {
      const result = work();
      this.#lockedSinceMs = undefined;
      return { result };
    } catch (error) {
      if (!isBusy(error)) throw error;
      this.#lockedSinceMs ??= systemClock.now();
      this.#contendedUntilMs = systemClock.now() + CONTENDED_MS;
      if (isLast) throw error;
      return undefined;
    }
  }
}

function noop(): void {}
