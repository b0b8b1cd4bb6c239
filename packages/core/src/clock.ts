import { abortError, onAbort, throwIfAborted } from "./signal.js";

/** How a timer is set. */
export interface TimerOptions {
  /** Whether the process stays alive for it. Default true. */
  readonly keepAlive?: boolean | undefined;
}

/** Where time enters. Everything that waits or notes a time is given one. */
export interface Clock {
  /** Milliseconds since 1970 (UTC). */
  now(): number;
  /** Calls back once after `delayMs`; the result takes the timer away. */
  setTimer(delayMs: number, callback: () => void, options?: TimerOptions): () => void;
  /**
   * Resolves after `delayMs`.
   * @throws the signal's reason as `cancelled` (or as the error that the reason is) when it aborts first.
   */
  sleep(delayMs: number, signal?: AbortSignal | undefined): Promise<void>;
}

/** The longest delay that timers of JavaScript engines take, ms; a longer one would fire at once. */
const LONGEST_TIMER_MS = 2_147_483_647;

/** Real time. */
export const systemClock: Clock = clockOf(
  () => Date.now(),
  (delayMs, callback, options) => {
    if (!(delayMs <= LONGEST_TIMER_MS)) return longTimer(delayMs, callback, options);
    const handle = begun(setTimeout(callback, Math.max(0, delayMs)), options);
    return () => clearTimeout(handle);
  },
);

type TimerHandle = ReturnType<typeof setTimeout>;

/** A timer in parts that the engine takes. */
function longTimer(delayMs: number, callback: () => void, options?: TimerOptions): () => void {
  let handle: TimerHandle;
  const wait = (leftMs: number): void => {
    const partMs = Math.min(leftMs, LONGEST_TIMER_MS);
    handle = begun(
      setTimeout(() => (leftMs > partMs ? wait(leftMs - partMs) : callback()), partMs),
      options,
    );
  };
  wait(delayMs);
  return () => clearTimeout(handle);
}

/** Only where timers are objects is there a process that they may keep alive. */
function begun(handle: TimerHandle, options: TimerOptions | undefined): TimerHandle {
  if (options?.keepAlive === false) (handle as { unref?(): void }).unref?.();
  return handle;
}

/** A clock that stands still until it is told to move. */
export interface ManualClock extends Clock {
  /**
   * Moves time forward and runs the timers that fall due, in order of their time, each at its own moment. Between
   * two timers, and after the last, work that waits on promises gets a turn.
   */
  advance(ms: number): Promise<void>;
  /** How many timers are set. Zero when nothing waits: a test can prove that a run left none behind. */
  readonly timers: number;
}

/** Time for tests. `startMs` defaults to 0. */
export function manualClock({ startMs = 0 }: { readonly startMs?: number } = {}): ManualClock {
  let now = startMs;
  let order = 0;
  const timers = new Map<number, { readonly atMs: number; readonly callback: () => void }>();
  const clock = clockOf(
    () => now,
    (delayMs, callback) => {
      const id = order++;
      timers.set(id, { atMs: now + Math.max(0, delayMs), callback });
      return () => void timers.delete(id);
    },
  );
  const nextDue = (untilMs: number): number | undefined => {
    let due: number | undefined;
    for (const [id, { atMs }] of timers) {
      if (atMs <= untilMs && (due === undefined || atMs < (timers.get(due)?.atMs ?? 0))) due = id;
    }
    return due;
  };
  return {
    ...clock,
    get timers() {
      return timers.size;
    },
    async advance(ms) {
      const untilMs = now + ms;
      await settle();
      for (let id = nextDue(untilMs); id !== undefined; id = nextDue(untilMs)) {
        const timer = timers.get(id);
        timers.delete(id);
        now = Math.max(now, timer?.atMs ?? now);
        timer?.callback();
        await settle();
      }
      now = untilMs;
    },
  };
}

/** Lets promise chains that are under way run on: a macrotask, so that chains of any length get there. */
function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

function clockOf(now: Clock["now"], setTimer: Clock["setTimer"]): Clock {
  return {
    now,
    setTimer,
    async sleep(delayMs, signal) {
      throwIfAborted(signal);
      await new Promise<void>((resolve, reject) => {
        const clearTimer = setTimer(delayMs, () => {
          unlink();
          resolve();
        });
        const unlink = onAbort(signal, () => {
          clearTimer();
          reject(abortError(signal?.reason));
        });
      });
    },
  };
}
