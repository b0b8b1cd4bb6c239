import type { Clock } from "@tinyagents/core";

/** Something that must be over by a moment. Whoever makes one keeps `place` at -1 and leaves it alone. */
export interface Deadline {
  /** Moves later by the time for which it stands still. */
  atMs: number;
  /** Where it stands in the list of its run; -1 when it does not. */
  place: number;
  onPassed(): void;
}

/**
 * All deadlines of a run on one timer, armed to the nearest. Most deadlines are met: meeting one costs no timer, and
 * a timer that finds nothing due arms the next.
 */
export class Deadlines {
  readonly #clock: Clock;
  /** Made for the first one, and so no larger than need be: most runs wait for one thing at a time. */
  #pending: Deadline[] | undefined;
  #armedAtMs = Number.POSITIVE_INFINITY;
  #disarm: (() => void) | undefined;
  /** Deadlines that stand still, and since when. */
  #standing: Map<Deadline, number> | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(deadline: Deadline): void {
    const pending = this.#pending;
    deadline.place = pending?.length ?? 0;
    if (pending === undefined) this.#pending = [deadline];
    else pending.push(deadline);
    if (deadline.atMs < this.#armedAtMs) this.#arm(deadline.atMs);
  }

  /** The short form for a deadline that needs no object of its own. */
  after(delayMs: number, onPassed: () => void): Deadline {
    const deadline: Deadline = { atMs: this.#clock.now() + delayMs, place: -1, onPassed };
    this.add(deadline);
    return deadline;
  }

  /** Takes a deadline out; one that has passed, or is not there, is left. */
  met(deadline: Deadline): void {
    const pending = this.#pending;
    const { place } = deadline;
    if (place < 0 || pending === undefined) return;
    deadline.place = -1;
    const last = pending.pop();
    if (last === undefined || last === deadline) return;
    pending[place] = last;
    last.place = place;
  }

  /** Lets a deadline stand still until it goes on: the time between does not count. */
  stand(deadline: Deadline): void {
    this.#standing ??= new Map();
    this.#standing.set(deadline, this.#clock.now());
  }

  /** Lets one that stands still go on; any other is left. */
  goOn(deadline: Deadline): void {
    const sinceMs = this.#standing?.get(deadline);
    if (sinceMs === undefined) return;
    this.#standing?.delete(deadline);
    deadline.atMs += this.#clock.now() - sinceMs;
    if (deadline.place >= 0 && deadline.atMs < this.#armedAtMs) this.#arm(deadline.atMs);
  }

  /** Leaves no timer behind. */
  close(): void {
    for (const deadline of this.#pending ?? []) deadline.place = -1;
    this.#pending = undefined;
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
    const running = (this.#pending ?? []).filter((deadline) => this.#standing?.has(deadline) !== true);
    const due = running.filter(({ atMs }) => atMs <= nowMs).sort((one, other) => one.atMs - other.atMs);
    for (const deadline of due) {
      if (deadline.place < 0) continue;
      this.met(deadline);
      deadline.onPassed();
    }
    let nearestMs = Number.POSITIVE_INFINITY;
    for (const { atMs, place } of running) if (place >= 0) nearestMs = Math.min(nearestMs, atMs);
    if (nearestMs < this.#armedAtMs) this.#arm(nearestMs);
  }
}
