import { type AppendStore, follow, type LogRecord } from "@tinyagents/core";
import { assert, assertEqual, assertFails } from "../assert.js";
import { turns, watchedSignal } from "../chat-model/in-progress.js";
import type { Check } from "../check.js";
import { atOnce } from "../store/suite.js";
import { inTime } from "./in-time.js";
import type { AppendStoreUnderTest, LogNeed, LogSituation } from "./subject.js";
import { numbers, topic } from "./suite.js";

/** Nobody asks before a check is over: what comes has come because the log called back. */
const NEVER_MS = 3_600_000;
/** A reader that waits is as far as it gets after so many turns; each round gives it one more. */
const ROUNDS = 8;

const NEEDS: readonly LogNeed[] = ["follow"];
const following = topic("following");

/** Who follows a stream in a check. */
interface Follower {
  /** The next so many records. @throws CheckFailure when one of them does not come soon. */
  take(count: number): Promise<readonly LogRecord[]>;
  /** Waits for the next record, however long that takes. */
  next(): Promise<LogRecord>;
}

/** Follows a stream as long as it is used, from its start. Whoever waits then is not left waiting. */
async function whoFollows(
  log: AppendStore,
  use: (follower: Follower) => Promise<void>,
  controller: AbortController = new AbortController(),
): Promise<void> {
  const records = follow(log, "s", { signal: controller.signal, pollMs: NEVER_MS });
  const next = async (): Promise<LogRecord> => (await records.next()).value;
  const take = async (count: number): Promise<readonly LogRecord[]> => {
    const taken: LogRecord[] = [];
    for (const _ of numbers(0, count)) taken.push(await inTime(next(), "a record that was appended"));
    return taken;
  };
  try {
    await use({ next, take });
  } finally {
    controller.abort();
  }
}

/** Looks whether so many records are the first of the stream, each once and in order. */
function assertWhole(found: readonly LogRecord[], all: readonly LogRecord[], whose: string): void {
  assertEqual(
    found.map(({ offset }) => offset),
    numbers(0, all.length),
    `the offsets that ${whose} got`,
  );
  assertEqual(found, all, `what ${whose} got`);
}

/** A log that asks its followers to ask says so: nobody relies on calls that do not come. */
async function hasNoWatch({ log }: LogSituation): Promise<void> {
  assert(log.watch === undefined, "the log has a watch, and does not claim follow");
}

/** What is pushed to whoever follows a stream in this process. */
export const followChecks: readonly Check<AppendStoreUnderTest>[] = [
  following(
    "calls everybody back who watches a stream, until that ends, and fails nobody who ends it",
    async ({ log }) => {
      const calls = [0, 0];
      let rung: () => void = () => undefined;
      const watch = async (which: number): Promise<() => void> => {
        const unwatch = await log.watch?.("s", () => {
          calls[which] = Number(calls[which]) + 1;
          rung();
        });
        assert(typeof unwatch === "function", "the log claims follow, and watch gives nothing that ends it");
        return unwatch;
      };
      const appended = async (value: string, isEnough: () => boolean): Promise<void> => {
        const enough = new Promise<void>((resolve) => {
          rung = () => isEnough() && resolve();
        });
        await log.append("s", [value]);
        await inTime(enough, "the call back after an append");
      };
      const [endFirst, endSecond] = [await watch(0), await watch(1)];
      await appended("for both", () => calls.every((count) => count > 0));
      endFirst();
      endFirst();
      await turns(2);
      const [before, other] = calls.map(Number) as [number, number];
      await appended("for one", () => Number(calls[1]) > other);
      await turns(2);
      assertEqual(calls[0], before, "how often somebody was called back who watches no more");
      endSecond();
    },
    { needs: NEEDS, lacking: hasNoWatch },
  ),
  following(
    "passes no append over that begins once watch has resolved, however soon",
    async ({ log }) => {
      await log.append("s", ["before"]);
      for (const round of numbers(0, ROUNDS)) {
        let ring: () => void = () => undefined;
        const called = new Promise<void>((resolve) => {
          ring = resolve;
        });
        const unwatch = await log.watch?.("s", ring);
        await log.append("s", [round]);
        await inTime(called, `the call back after append ${round}`);
        unwatch?.();
      }
    },
    { needs: NEEDS },
  ),
  following(
    "gives a follower each record once and in order, those before and those after it began, without a gap",
    async ({ log }) => {
      await log.append("s", numbers(0, 20));
      await whoFollows(log, async ({ take }) => {
        const taking = take(140);
        const writing = atOnce(20, async (index) => {
          for (const step of numbers(0, 3)) {
            await turns(index % 7);
            await log.append("s", [`${index} ${step} first`, `${index} ${step} second`]);
          }
        });
        const found = await taking;
        await writing;
        assertWhole(found, await log.read("s"), "a follower");
      });
    },
    { needs: NEEDS },
  ),
  following(
    "passes nothing over that is appended while a follower goes from reading to waiting",
    async ({ log }) => {
      for (const round of numbers(0, ROUNDS)) {
        await whoFollows(log, async ({ take }) => {
          await take(round);
          const taking = take(1);
          await turns(round);
          await log.append("s", [round]);
          assertEqual(await taking, [{ offset: round, value: round }], `what was appended ${round} turns later`);
        });
      }
    },
    { needs: NEEDS },
  ),
  following(
    "goes on with a stream that nobody has written yet, and with one that is deleted and begun anew",
    async ({ log }) => {
      await whoFollows(log, async ({ take }) => {
        for (const values of [["first", "second"], ["anew"]]) {
          const taking = take(values.length);
          await turns(ROUNDS);
          await log.append("s", values);
          const wanted = values.map((value, offset) => ({ offset, value }));
          assertEqual(await taking, wanted, "the records");
          await log.delete("s");
        }
      });
    },
    { needs: NEEDS },
  ),
  following(
    "neither waits for a follower that is slow, nor loses anything for it, nor holds up another one",
    async ({ log }) => {
      await log.append("s", ["first"]);
      await whoFollows(log, async (slow) => {
        const first = await slow.take(1);
        await whoFollows(log, async (fast) => {
          for (const index of numbers(0, 40)) await inTime(log.append("s", [index]), "an append beside a slow reader");
          assertWhole(await fast.take(41), await log.read("s"), "a fast follower");
        });
        assertWhole([...first, ...(await slow.take(40))], await log.read("s"), "a slow follower");
      });
    },
    { needs: NEEDS },
  ),
  following(
    "ends a follower when its signal aborts, refuses one that has aborted, and leaves no listener",
    async ({ log }) => {
      for (const waited of [0, ROUNDS]) {
        const { controller, listeners } = watchedSignal();
        const use = async ({ next }: Follower): Promise<void> => {
          const waiting = next();
          waiting.catch(() => undefined);
          await turns(waited);
          controller.abort();
          await assertFails(
            inTime(waiting, "the end of a follower"),
            "cancelled",
            `who has followed for ${waited} turns`,
          );
        };
        await whoFollows(log, use, controller);
        assertEqual(listeners(), 0, "listeners on the signal");
      }
      const late = log.watch?.("s", () => undefined, { signal: AbortSignal.abort() }) ?? Promise.resolve();
      await assertFails(late, "cancelled", "a watch with a signal that has aborted");
      await assertFails(
        log.watch?.("", () => undefined) ?? Promise.resolve(),
        "invalid_request",
        "a watch of no stream",
      );
    },
    { needs: NEEDS },
  ),
  following(
    "ends a follower with store_failed when the log is closed, and can be closed beside one",
    async ({ log, first }) => {
      await log.append("s", ["x"]);
      await whoFollows(log, async ({ take, next }) => {
        await take(1);
        const waiting = next();
        waiting.catch(() => undefined);
        await turns(ROUNDS);
        await inTime(first.close?.() ?? Promise.resolve(), "the close beside a follower");
        await assertFails(inTime(waiting, "the end of a follower"), "store_failed", "who follows");
        await assertFails(log.watch?.("s", () => undefined) ?? Promise.resolve(), "store_failed", "a watch after that");
      });
    },
    { needs: [...NEEDS, "close"] },
  ),
];
