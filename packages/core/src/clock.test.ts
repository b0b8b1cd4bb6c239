import { getEventListeners } from "node:events";
import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { thrownBy } from "../test/support.js";
import { manualClock, systemClock } from "./clock.js";
import { TinyAgentsError } from "./errors.js";

function listeners(signal: AbortSignal): number {
  return getEventListeners(signal, "abort").length;
}

describe("a manual clock", () => {
  test("stands still until it is told to move", async () => {
    const clock = manualClock({ startMs: 1_000 });
    expect(clock.now()).toBe(1_000);
    await clock.advance(250);
    expect(clock.now()).toBe(1_250);
    expect(manualClock().now()).toBe(0);
  });

  test("runs timers in order of their time, each at its own moment", async () => {
    const clock = manualClock();
    const seen: [string, number][] = [];
    clock.setTimer(30, () => seen.push(["c", clock.now()]));
    clock.setTimer(10, () => seen.push(["a", clock.now()]));
    clock.setTimer(20, () => seen.push(["b", clock.now()]));
    await clock.advance(25);
    expect(seen).toEqual([
      ["a", 10],
      ["b", 20],
    ]);
    expect([clock.now(), clock.timers]).toEqual([25, 1]);
    await clock.advance(5);
    expect(seen.at(-1)).toEqual(["c", 30]);
  });

  test("runs timers of the same moment in the order in which they were set", () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: 5 }), { maxLength: 12 }), async (delays) => {
        const clock = manualClock();
        const seen: number[] = [];
        delays.forEach((delayMs, index) => {
          clock.setTimer(delayMs, () => seen.push(index));
        });
        await clock.advance(5);
        const byTime = delays.map((delayMs, index) => ({ delayMs, index })).sort((a, b) => a.delayMs - b.delayMs);
        expect(seen).toEqual(byTime.map(({ index }) => index));
      }),
      { numRuns: 25 },
    ));

  test("runs a timer that another timer sets, when it falls due in the same move", async () => {
    const clock = manualClock();
    const seen: number[] = [];
    clock.setTimer(10, () => {
      seen.push(clock.now());
      clock.setTimer(10, () => seen.push(clock.now()));
    });
    await clock.advance(30);
    expect(seen).toEqual([10, 20]);
  });

  test("lets work that waits on promises run between two timers", async () => {
    const clock = manualClock();
    const seen: string[] = [];
    const work = (async () => {
      await clock.sleep(10);
      for (let i = 0; i < 50; i++) await Promise.resolve();
      seen.push(`woken at ${clock.now()}`);
      await clock.sleep(5);
      seen.push(`again at ${clock.now()}`);
    })();
    await clock.advance(20);
    await work;
    expect(seen).toEqual(["woken at 10", "again at 15"]);
  });

  test("takes a negative delay for none, and never goes back for it", async () => {
    const clock = manualClock({ startMs: 100 });
    let at: number | undefined;
    clock.setTimer(-50, () => {
      at = clock.now();
    });
    await clock.advance(0);
    expect(at).toBe(100);
  });

  test("forgets a timer that was taken away", async () => {
    const clock = manualClock();
    const callback = vi.fn();
    const clear = clock.setTimer(10, callback);
    expect(clock.timers).toBe(1);
    clear();
    expect(clock.timers).toBe(0);
    await clock.advance(100);
    expect(callback).not.toHaveBeenCalled();
  });
});

describe("sleeping", () => {
  test("leaves neither timer nor listener behind when it ends", async () => {
    const clock = manualClock();
    const { signal } = new AbortController();
    const sleep = clock.sleep(10, signal);
    await clock.advance(9);
    expect([clock.timers, listeners(signal)]).toEqual([1, 1]);
    await clock.advance(1);
    await sleep;
    expect([clock.timers, listeners(signal)]).toEqual([0, 0]);
  });

  test("ends at once when the signal aborts, and leaves nothing behind", async () => {
    const clock = manualClock();
    const controller = new AbortController();
    const sleep = clock.sleep(10_000, controller.signal);
    const failure = thrownBy(() => sleep);
    controller.abort("enough");
    expect(await failure).toMatchObject({ code: "cancelled", details: { reason: "enough" } });
    expect([clock.now(), clock.timers, listeners(controller.signal)]).toEqual([0, 0, 0]);
  });

  test("does not begin when the signal has aborted, and keeps a reason of ours", async () => {
    const clock = manualClock();
    const reason = new TinyAgentsError("timeout", "too slow", { details: { scope: "model_call", limitMs: 5 } });
    expect(await thrownBy(() => clock.sleep(10, AbortSignal.abort(reason)))).toBe(reason);
    expect(clock.timers).toBe(0);
  });
});

describe("the system clock", () => {
  afterEach(() => void vi.useRealTimers());

  test.each([1_000, 3_000_000_000])("keeps the process alive for a timer of %d ms unless it is not to", (delayMs) => {
    const held = (): number => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const before = held();
    const stopFree = systemClock.setTimer(delayMs, () => {}, { keepAlive: false });
    expect(held()).toBe(before);
    const stopHolding = systemClock.setTimer(delayMs, () => {});
    expect(held()).toBe(before + 1);
    stopFree();
    stopHolding();
    expect(held()).toBe(before);
  });

  test("tells the engine's time and sleeps by its timers", async () => {
    vi.useFakeTimers({ now: 1_700_000_000_000 });
    expect(systemClock.now()).toBe(1_700_000_000_000);
    let done = false;
    const sleep = systemClock.sleep(1_000).then(() => {
      done = true;
    });
    await vi.advanceTimersByTimeAsync(999);
    expect(done).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await sleep;
    expect(done).toBe(true);
  });

  test("takes a timer away", async () => {
    vi.useFakeTimers();
    const callback = vi.fn();
    systemClock.setTimer(10, callback)();
    expect(vi.getTimerCount()).toBe(0);
    await vi.advanceTimersByTimeAsync(100);
    expect(callback).not.toHaveBeenCalled();
  });

  test("waits as long as it is told, also beyond what an engine's timers take", async () => {
    vi.useFakeTimers({ now: 0 });
    const dayMs = 86_400_000;
    const calledAt: number[] = [];
    systemClock.setTimer(60 * dayMs, () => calledAt.push(Date.now()));
    const clear = systemClock.setTimer(60 * dayMs, () => calledAt.push(-1));
    await vi.advanceTimersByTimeAsync(59 * dayMs);
    expect(calledAt).toEqual([]);
    clear();
    await vi.advanceTimersByTimeAsync(2 * dayMs);
    expect(calledAt).toEqual([60 * dayMs]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("asks engines for no delay that they would take for another", () => {
    const set = vi.spyOn(globalThis, "setTimeout");
    systemClock.setTimer(10 ** 12, () => {})();
    systemClock.setTimer(-5, () => {})();
    expect(set.mock.calls.map(([, delayMs]) => delayMs)).toEqual([2_147_483_647, 0]);
  });
});
