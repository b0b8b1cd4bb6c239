import { type Clock, systemClock } from "../clock.js";
import { onAbort, throwIfAborted } from "../signal.js";
import type { AppendStore, LogRecord } from "./append-store.js";
import { readStreamName } from "./log-arguments.js";
import { readWholeNumber } from "./read-fields.js";
import { invalidArgument } from "./refuse.js";

/** Where to begin, when to stop, and how often to ask. */
export interface FollowOptions {
  /** The first offset to read. Default: the start. */
  readonly from?: number | undefined;
  /** Ends the iteration with `cancelled`, or the reason where it is an error of ours. */
  readonly signal?: AbortSignal | undefined;
  /** How often to ask where the log cannot call back, ms. Default 250. A log that can is asked every 40th of that time as well. */
  readonly pollMs?: number | undefined;
  readonly clock?: Clock | undefined;
}

/** What of a log it takes to follow a stream. */
export type FollowedLog = Pick<AppendStore, "read" | "head" | "watch">;

/** How much rarer a log is asked that calls back: only in case that a call got lost. */
const RARER = 40;

/**
 * The records of a stream from an offset on, and then those that are appended, without a gap and without a repeat, until
 * the reader stops, the signal aborts, or the log is closed, which is `store_failed`. Records that were truncated before they
 * were read are passed over: offsets tell. A reader that is slow is behind, and nothing is held for it. A stream that was
 * deleted is read from its new start, unless it has grown past the old place before anybody looked.
 */
export async function* follow(
  log: FollowedLog,
  stream: string,
  { from, signal, pollMs = 250, clock = systemClock }: FollowOptions = {},
): AsyncGenerator<LogRecord, never, undefined> {
  readStreamName(stream);
  let next = from === undefined ? 0 : readWholeNumber(from, 0, "from");
  let seen = 0;
  if (!(Number.isFinite(pollMs) && pollMs > 0))
    throw invalidArgument("pollMs", `a number of milliseconds above 0 is expected, ${String(pollMs)} given`);
  const bell = new Bell();
  const unwatch = await log.watch?.(stream, () => bell.ring(), { signal });
  const unlink = onAbort(signal, () => bell.ring());
  try {
    for (;;) {
      throwIfAborted(signal);
      bell.still();
      const records = await log.read(stream, { from: next, signal });
      for (const record of records) {
        throwIfAborted(signal);
        next = record.offset + 1;
        seen = next;
        yield record;
      }
      if (records.length > 0) continue;
      if ((await log.head(stream, { signal })) < seen) next = seen = 0;
      else await bell.heard(unwatch === undefined ? pollMs : pollMs * RARER, clock);
    }
  } finally {
    unlink();
    unwatch?.();
  }
}

/** Waits for a call back, which may come before anybody waits. */
class Bell {
  #rung = false;
  #wake: (() => void) | undefined;

  ring(): void {
    this.#rung = true;
    this.#wake?.();
  }

  still(): void {
    this.#rung = false;
  }

  /** Resolves when it has rung since it was still, or after a time. */
  heard(withinMs: number, clock: Clock): Promise<void> {
    if (this.#rung) return Promise.resolve();
    return new Promise((resolve) => {
      const stop = clock.setTimer(withinMs, resolve);
      this.#wake = () => {
        stop();
        resolve();
      };
    });
  }
}
