import { follow } from "@tinyagents/core";
import { describe, expect, it } from "vitest";
import { sqliteBackend } from "../src/index.js";
import { openFile } from "./support.js";

function numbers(count: number, from = 0): number[] {
  return Array.from({ length: count }, (_, index) => from + index);
}

describe("reading (ST-08)", () => {
  it.each(["ascending", "descending"] as const)(
    "gives more records than one look at the table holds, %s",
    async (order) => {
      const { backend } = openFile();
      await backend.log.append("s", numbers(3_500));
      await backend.log.append("other", ["x"]);
      const records = await backend.log.read("s", { limit: 3_200, order });
      const expected = order === "ascending" ? numbers(3_200) : numbers(3_500).reverse().slice(0, 3_200);
      expect(records.map(({ value }) => value)).toEqual(expected);
      expect(records.map(({ offset }) => offset)).toEqual(expected);
    },
  );

  it("never puts records together that were not there at one time", async () => {
    const { backend, path } = openFile();
    const other = sqliteBackend({ path, synchronous: "off" });
    for (let round = 0; round < 5; round++) {
      await backend.log.append(
        "s",
        numbers(2_500).map((n) => `${round} ${n}`),
      );
      const [records] = await Promise.all([
        backend.log.read("s", { limit: 10_000 }),
        round % 2 === 0 ? other.log.truncate("s", { before: 1_700 }) : other.log.delete("s"),
      ]);
      const offsets = records.map(({ offset }) => offset);
      expect(offsets).toEqual(numbers(offsets.length, offsets[0]));
      await backend.log.delete("s");
    }
    await other.close();
  });
});

describe("appending under a key", () => {
  it("knows the values again when the keys of their objects come in another order, while the records are there", async () => {
    const { log } = openFile().backend;
    const key = { idempotencyKey: "k" };
    await log.append("s", ["before"]);
    await log.append("s", [{ a: 1, b: { c: 2, d: 3 } }, "last"], key);
    const sameInOtherOrder = [{ b: { d: 3, c: 2 }, a: 1 }, "last"];
    expect(await log.append("s", sameInOtherOrder, key)).toBe(1);
    for (const other of [
      [{ b: { d: 3, c: 2 }, a: 2 }, "last"],
      [{ b: { d: 3, c: 2 }, a: 1 }],
      [...sameInOtherOrder, 1],
    ])
      await expect(log.append("s", other, key)).rejects.toMatchObject({ code: "invalid_request" });
    await log.truncate("s", { before: 2 });
    await expect(log.append("s", sameInOtherOrder, key)).rejects.toMatchObject({ code: "invalid_request" });
    expect(await log.append("s", [{ a: 1, b: { c: 2, d: 3 } }, "last"], key)).toBe(1);
    expect(await log.head("s")).toBe(3);
  });
});

describe("the room that there is", () => {
  const LAST = 2 ** 32 - 1;

  it("keeps streams apart that have their last records, whatever offset is read from", async () => {
    const { backend, raw } = openFile();
    const { log } = backend;
    for (const stream of ["a", "b", "c"]) await log.append(stream, [`${stream} 0`]);
    raw.exec(
      `insert into tinyagents_entries values (((select id from tinyagents_streams where name = x'61') << 32) + ${LAST}, '"a last"')`,
    );
    expect(await log.head("a")).toBe(LAST + 1);
    for (const from of [LAST + 1, LAST + 2, 2 ** 33, Number.MAX_SAFE_INTEGER]) {
      expect(await log.read("a", { from })).toEqual([]);
      expect((await log.read("a", { from, order: "descending" })).map(({ value }) => value)).toEqual(["a last", "a 0"]);
    }
    expect((await log.read("a", { from: LAST })).map(({ offset }) => offset)).toEqual([LAST]);
    expect((await log.read("b")).map(({ value }) => value)).toEqual(["b 0"]);
    await log.truncate("a", { before: Number.MAX_SAFE_INTEGER });
    expect([await log.read("a"), await log.head("a")]).toEqual([[], LAST + 1]);
    expect((await log.read("b")).map(({ value }) => value)).toEqual(["b 0"]);
  });

  it("has an end that is told, and nothing is written beyond", async () => {
    const { backend, raw } = openFile();
    const { log } = backend;
    await log.append("s", ["first"]);
    raw.exec(`insert into tinyagents_entries select (id << 32) + ${LAST - 1}, '1' from tinyagents_streams`);
    await expect(log.append("s", ["one", "too many"])).rejects.toMatchObject({
      code: "store_failed",
      retryable: false,
    });
    expect(await log.append("s", ["last"], { idempotencyKey: "k" })).toBe(LAST);
    await expect(log.append("s", ["x"])).rejects.toThrow(/stream "s" has no room/);
    raw.exec(`update sqlite_sequence set seq = ${2 ** 31 - 1} where name = 'tinyagents_streams'`);
    await expect(log.append("new", ["x"])).rejects.toThrow(/has no room/);
    expect(await log.streams()).toEqual(["s"]);
  });
});

describe("what was truncated or deleted", () => {
  it("leaves the table", async () => {
    const { backend, raw } = openFile();
    const rows = () => raw.prepare("select count(*) as n from tinyagents_entries").get();
    await backend.log.append("s", numbers(5_000), { idempotencyKey: "k" });
    await backend.log.truncate("s", { before: 4_999 });
    expect(rows()).toEqual({ n: 1 });
    await backend.log.delete("s");
    expect(rows()).toEqual({ n: 0 });
    const left =
      "select (select count(*) from tinyagents_streams) + (select count(*) from tinyagents_append_keys) as n";
    expect(raw.prepare(left).get()).toEqual({ n: 0 });
  });

  it("and is still there after a process was killed is not seen, and goes with the next", async () => {
    const { backend, raw } = openFile();
    await backend.log.append("s", numbers(10), { idempotencyKey: "k" });
    raw.exec("update tinyagents_streams set start = 4");
    expect((await backend.log.read("s")).map(({ offset }) => offset)).toEqual(numbers(6, 4));
    expect((await backend.log.read("s", { order: "descending" })).at(-1)?.offset).toBe(4);
    raw.exec("update tinyagents_streams set name = null");
    expect([await backend.log.head("s"), await backend.log.streams()]).toEqual([0, []]);
    expect(await backend.log.append("s", ["new"], { idempotencyKey: "k" })).toBe(0);
    await backend.log.append("t", ["x"]);
    await backend.log.delete("t");
    expect(raw.prepare("select count(*) as n from tinyagents_entries").get()).toEqual({ n: 1 });
  });
});

describe("following", () => {
  it("sees soon what another connection has appended", async () => {
    const { backend, path } = openFile();
    const other = sqliteBackend({ path });
    const seen: unknown[] = [];
    await backend.log.append("s", ["first"]);
    for await (const { value } of follow(backend.log, "s", { pollMs: 3_600_000 })) {
      seen.push(value);
      if (seen.length === 3) break;
      // Later, when whoever follows has read all there is and waits.
      setTimeout(() => void other.log.append("s", [seen.length]), 20);
    }
    expect(seen).toEqual(["first", 1, 2]);
    await other.close();
  }, 10_000);

  it("ends with store_failed when the backend is closed", async () => {
    const { backend } = openFile();
    const following = follow(backend.log, "s", { pollMs: 3_600_000 }).next();
    await new Promise((resolve) => setTimeout(resolve, 5));
    await backend.close();
    await expect(following).rejects.toMatchObject({ code: "store_failed" });
  });

  it("calls nobody back who has gone", async () => {
    const { backend } = openFile();
    let calls = 0;
    const watch = () =>
      backend.log.watch?.("s", () => {
        calls++;
      });
    const [one, other] = [await watch(), await watch()];
    one?.();
    await backend.log.append("s", [1]);
    await new Promise((resolve) => setTimeout(resolve, 1));
    expect(calls).toBe(1);
    other?.();
    await backend.log.append("s", [2]);
    await new Promise((resolve) => setTimeout(resolve, 1));
    expect(calls).toBe(1);
  });
});

describe("the event loop", () => {
  it("gets its turn while calls follow each other without a pause", async () => {
    const { backend } = openFile({ synchronous: "off" });
    let turned = false;
    setTimeout(() => {
      turned = true;
    }, 0);
    let calls = 0;
    while (!turned && calls < 200_000) {
      await backend.log.head("s");
      calls++;
    }
    expect(turned).toBe(true);
  });

  it("gets its turn while many calls wait that were made at once", async () => {
    const { backend } = openFile({ synchronous: "off" });
    let done = 0;
    let doneAtTurn: number | undefined;
    setTimeout(() => {
      doneAtTurn = done;
    }, 0);
    const value = { type: "text", text: "x".repeat(20_000) } as const;
    const puts = numbers(3_000).map((n) =>
      backend.store.put([String(n)], value).then(() => {
        done++;
      }),
    );
    await Promise.all(puts);
    expect(done).toBe(3_000);
    expect(doneAtTurn).toBeLessThan(3_000);
  });
});
