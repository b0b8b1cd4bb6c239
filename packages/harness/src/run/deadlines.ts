import type { Clock } from "@tinyagents/core";

/** Something that must be over by a moment. */
export interface Deadline {
  readonly atMs: number;
  readonly onPassed: () => void;
}

/**
 * All deadlines of a run on one timer, armed to the nearest. Most deadlines are met: meeting one costs no timer, and
 * a timer that finds nothing due arms the next.
 */
export class Deadlines {
  readonly #clock: Clock;
  readonly #pending = new Set<Deadline>();
  #armedAtMs = Number.POSITIVE_INFINITY;
  #disarm: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(afterMs: number, onPassed: () => void): Deadline {
    const deadline: Deadline = { atMs: this.#clock.now() + afterMs, onPassed };
    this.#pending.add(deadline);
    if (deadline.atMs < this.#armedAtMs) this.#arm(deadline.atMs);
    return deadline;
  }

  met(deadline: Deadline): void {
    this.#pending.delete(deadline);
  }

  /** Leaves no timer behind. */
  close(): void {
    this.#pending.clear();
    this.#disarm?.();
    this.#disarm = undefined;
    this.#armedAtMs = Number.POSITIVE_INFINITY;
  }

  #arm(atMs: number): void {
    this.#disarm?.();
    this.#armedAtMs = atMs;
    this.#disarm = this.#clock.setTimer(Math.max(0, atMs - this.#clock.now()), () => this.#tick());
  }

  #tick(): void {
    this.#disarm = undefined;
    this.#armedAtMs = Number.POSITIVE_INFINITY;
    const nowMs = this.#clock.now();
    let nearestMs = Number.POSITIVE_INFINITY;
    for (const deadline of this.#pending) {
      if (deadline.atMs <= nowMs) {
        this.#pending.delete(deadline);
        deadline.onPassed();
      } else nearestMs = Math.min(nearestMs, deadline.atMs);
    }
    if (nearestMs < this.#armedAtMs) this.#arm(nearestMs);
  }
}
