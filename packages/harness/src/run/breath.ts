import type { Clock } from "@tinyagents/core";

/** How many fragments come before the time is looked at. */
const LOOK_EVERY = 64;
/** The longest that work without a pause may keep the event loop, ms. */
const LONGEST_MS = 10;
/** Looks after which it turns whatever the time is: a clock may stand still. */
const MOST_LOOKS = 256;

/**
 * Lets the event loop turn now and then while something gives without end and never waits for anything. Without it no
 * timer fires then, so that no deadline passes, and nobody gets to cancel. What waits for a network by itself hardly
 * notices: at most one turn in ten milliseconds.
 */
export class Breath {
  readonly #clock: Clock;
  #lastMs: number;
  #given = 0;
  #looks = 0;

  constructor(clock: Clock, nowMs: number) {
    this.#clock = clock;
    this.#lastMs = nowMs;
  }

  /** Called once per fragment. A promise has to be waited for. */
  due(): Promise<void> | undefined {
    if (++this.#given < LOOK_EVERY) return undefined;
    this.#given = 0;
    const nowMs = this.#clock.now();
    if (++this.#looks < MOST_LOOKS && nowMs - this.#lastMs < LONGEST_MS) return undefined;
    this.#looks = 0;
    this.#lastMs = nowMs;
    return turnOfEventLoop();
  }
}

/** A turn of the event loop: timers and I/O that are due come first. `setTimeout` alone waits longer than need be. */
function turnOfEventLoop(): Promise<void> {
  const { setImmediate } = globalThis as { readonly setImmediate?: (callback: () => void) => unknown };
  return new Promise((resolve) => (setImmediate === undefined ? setTimeout(resolve, 0) : setImmediate(resolve)));
}
