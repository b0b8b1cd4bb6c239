import { describe, expect, test } from "vitest";
import { thrownBy } from "../../test/support.js";
import { type ManualClock, manualClock } from "../clock.js";
import type { AppendStore, LogRecord } from "./append-store.js";
import { type FollowOptions, follow } from "./follow.js";

/** One stream, as far as following it needs one. */
class FakeLog {
  start = 0;
  values: string[] = [];
  reads = 0;
  readonly watchers = new Set<() => void>();
  /** Calls back, or loses its calls. */
  rings = true;
  /** Runs after each read, before its answer is used. */
  afterRead: (() => void) | undefined;

  append(...values: readonly string[]): void {
    this.values.push(...values);
    if (this.rings) for (const ring of this.watchers) ring();
  }
  truncate(before: number): void {
    this.start += this.values.splice(0, before - this.start).length;
  }
  delete(): void {
    this.start = 0;
    this.values = [];
  }

  log(watches = true): AppendStore {
    const log = {
      read: async (_: string, { from = 0, limit = 3 }: { from?: number; limit?: number }) => {
        this.reads++;
        const records = this.values
          .map((value, index): LogRecord => ({ offset: this.start + index, value }))
          .filter(({ offset }) => offset >= from)
          .slice(0, limit);
        this.afterRead?.();
        return records;
      },
      head: async () => this.start + this.values.length,
      watch: async (_: string, onAppend: () => void) => {
        this.watchers.add(onAppend);
        return () => this.watchers.delete(onAppend);
      },
    };
    return (watches ? log : { ...log, watch: undefined }) as unknown as AppendStore;
  }
}

/** A reader that takes what is asked for, and notes what it got. */
function reader(log: AppendStore, options: FollowOptions & { readonly clock: ManualClock }) {
  const records = follow(log, "s", options);
  const got: string[] = [];
  return {
    got,
    records,
    async take(count: number) {
      for (let i = 0; i < count; i++) {
        const { value } = await records.next();
        got.push(`${value.offset}:${value.value}`);
      }
      return got;
    },
  };
}

describe("a stream that is followed", () => {
  test("gives what is there, and then what comes, each once and in order", async () => {
    const fake = new FakeLog();
    fake.append("a", "b", "c", "d");
    const { take } = reader(fake.log(), { clock: manualClock() });
    expect(await take(4)).toEqual(["0:a", "1:b", "2:c", "3:d"]);
    const later = take(2);
    await settled();
    fake.append("e");
    fake.append("f");
    expect((await later).slice(4)).toEqual(["4:e", "5:f"]);
  });

  test("passes nothing over that is appended while it looks", async () => {
    const fake = new FakeLog();
    fake.afterRead = () => {
      fake.afterRead = undefined;
      fake.append("between");
    };
    const { take } = reader(fake.log(), { clock: manualClock() });
    expect(await take(1)).toEqual(["0:between"]);
  });

  test("begins where it is told to", async () => {
    const fake = new FakeLog();
    fake.append("a", "b", "c");
    expect(await reader(fake.log(), { from: 2, clock: manualClock() }).take(1)).toEqual(["2:c"]);
    const ahead = reader(fake.log(), { from: 5, clock: manualClock() });
    const taken = ahead.take(1);
    await settled();
    fake.append("d", "e", "f");
    expect(await taken).toEqual(["5:f"]);
  });

  test("passes over what was truncated before it was read", async () => {
    const fake = new FakeLog();
    fake.append("a", "b", "c", "d", "e");
    const { take } = reader(fake.log(), { clock: manualClock() });
    await take(3);
    fake.truncate(4);
    expect(await take(1)).toEqual(["0:a", "1:b", "2:c", "4:e"]);
  });

  test("is read from its new start when it was deleted", async () => {
    const fake = new FakeLog();
    fake.append("a", "b");
    const { take } = reader(fake.log(), { clock: manualClock() });
    await take(2);
    const taken = take(1);
    await settled();
    fake.delete();
    fake.append("new");
    expect(await taken).toEqual(["0:a", "1:b", "0:new"]);
  });

  test("holds nothing for a reader that is slow", async () => {
    const fake = new FakeLog();
    fake.append("a");
    const { take } = reader(fake.log(), { clock: manualClock() });
    await take(1);
    const { reads } = fake;
    for (let i = 0; i < 100; i++) fake.append(`${i}`);
    await settled();
    expect(fake.reads).toBe(reads);
    expect((await take(100)).at(-1)).toBe("100:99");
  });

  test("is asked now and then where the log cannot call back, and more rarely where it can", async () => {
    const clock = manualClock();
    const fake = new FakeLog();
    fake.rings = false;
    const polled = reader(fake.log(false), { clock, pollMs: 10 }).take(1);
    const rung = reader(fake.log(), { clock, pollMs: 10 }).take(1);
    await clock.advance(5);
    fake.append("a");
    await clock.advance(5);
    expect(await polled).toEqual(["0:a"]);
    const before = fake.reads;
    await clock.advance(380);
    expect(fake.reads).toBe(before);
    await clock.advance(10);
    expect(await rung).toEqual(["0:a"]);
    expect(clock.timers).toBe(0);
  });

  test("ends when its signal aborts, waiting or between two records, and leaves nothing behind", async () => {
    const clock = manualClock();
    const fake = new FakeLog();
    fake.append("a", "b");
    const one = new AbortController();
    const reading = reader(fake.log(), { clock, signal: one.signal });
    await reading.take(1);
    one.abort("enough");
    expect(await thrownBy(() => reading.take(1))).toMatchObject({ code: "cancelled", details: { reason: "enough" } });
    const two = new AbortController();
    const waiting = reader(fake.log(), { clock, from: 2, signal: two.signal }).take(1);
    await settled();
    expect(fake.watchers.size).toBe(1);
    two.abort();
    expect(await thrownBy(() => waiting)).toMatchObject({ code: "cancelled" });
    expect([fake.watchers.size, clock.timers]).toEqual([0, 0]);
  });

  test("is left alone when its reader leaves", async () => {
    const clock = manualClock();
    const fake = new FakeLog();
    fake.append("a", "b");
    for await (const { value } of follow(fake.log(), "s", { clock })) {
      expect([value, fake.watchers.size]).toEqual(["a", 1]);
      break;
    }
    expect([fake.watchers.size, clock.timers]).toEqual([0, 0]);
  });

  test("passes on what the log fails with, and lets go of it", async () => {
    const fake = new FakeLog();
    const log = {
      ...fake.log(),
      read: async () => {
        throw new Error("the disk is gone");
      },
    };
    expect(await thrownBy(() => follow(log, "s").next())).toMatchObject({ message: "the disk is gone" });
    expect(fake.watchers.size).toBe(0);
  });

  test("is refused for arguments that cannot be, at the first read", async () => {
    const log = new FakeLog().log();
    for (const options of [{ from: -1 }, { from: 0.5 }, { pollMs: 0 }, { pollMs: Number.NaN }])
      expect(await thrownBy(() => follow(log, "s", options).next())).toMatchObject({ code: "invalid_request" });
    expect(await thrownBy(() => follow(log, "").next())).toMatchObject({ code: "invalid_request" });
  });
});

/** Lets promises that can settle do so. */
function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
