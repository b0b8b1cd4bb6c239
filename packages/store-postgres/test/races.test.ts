import { isTinyAgentsError, type StoreOperation } from "@tinyagents/core";
import pg from "pg";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type PostgresBackend, postgresBackend } from "../src/index.js";
import { admin, newPlace, type TestPlace, url, withServer } from "./support/place.js";

const text = (content: string) => ({ type: "text", text: content }) as const;

withServer("many who write at once (STO-10)", () => {
  let place: TestPlace;
  let backends: readonly PostgresBackend[];

  beforeEach(() => {
    place = newPlace();
    backends = [place.open(), place.open()];
  });

  afterEach(async () => {
    for (const { close } of backends) await close();
    await place.remove();
  });

  function on(index: number): PostgresBackend {
    return backends[index % backends.length] as PostgresBackend;
  }

  it("batches over the same records, in any order, there or not, are all done and never wait for each other", async () => {
    const names = ["a", "b", "c", "d", "e"];
    const shuffled = (seed: number) => [...names.slice(seed % 5), ...names.slice(0, seed % 5)];
    for (let round = 0; round < 5; round++) {
      const batches = Array.from({ length: 20 }, (_, index) => {
        const operations = shuffled(index * 3 + round).map(
          (name): StoreOperation =>
            (index + round) % 4 === 0
              ? { type: "delete", key: [name] }
              : { type: "put", key: [name], value: text(String(index)) },
        );
        return on(index).store.batch(operations);
      });
      await Promise.all(batches);
      const { items } = await on(0).store.list({ prefix: [] });
      expect(new Set(items.map(({ value }) => value.type === "text" && value.text)).size).toBeLessThan(2);
      expect([0, 5]).toContain(items.length);
    }
  });

  it("of batches that create the same record, one wins and the others find it there", async () => {
    const create = (index: number): StoreOperation[] => [
      { type: "put", key: [`mine-${index}`], value: text("x") },
      { type: "put", key: ["shared"], value: text(String(index)), options: { ifVersion: null } },
    ];
    const outcomes = await Promise.allSettled(
      Array.from({ length: 12 }, (_, index) => on(index).store.batch(create(index))),
    );
    const failed = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason as unknown] : []));
    expect(failed).toHaveLength(11);
    expect(failed.every((error) => isTinyAgentsError(error, "conflict"))).toBe(true);
    expect((await on(0).store.list({ prefix: [] })).items).toHaveLength(2);
  });

  it("in a database whose transactions are serializable, what it gives up is repeated until it is done", async () => {
    await on(0).store.get(["make the tables"]);
    const pool = new pg.Pool({
      connectionString: url,
      max: 8,
      options: "-c default_transaction_isolation=serializable",
    });
    const strict = postgresBackend({ pool, schema: place.schema, follow: false });
    await strict.store.put(["k"], text("x"));
    const puts = Array.from({ length: 8 }, (_, index) => strict.store.put(["k"], text(String(index))));
    const appends = Array.from({ length: 8 }, (_, index) => strict.log.append("s", [index]));
    await Promise.all([...puts, ...appends]);
    expect((await strict.log.read("s")).map(({ offset }) => offset)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    await strict.close();
    await pool.end();
  });

  it("appends to a stream that is deleted again and again are whole, and start from 0 each time", async () => {
    const work = Array.from({ length: 60 }, async (_, index) => {
      if (index % 6 === 5) await on(index).log.delete("s");
      else await on(index).log.append("s", [index, index], { idempotencyKey: String(index) });
    });
    await Promise.all(work);
    const records = await on(0).log.read("s");
    expect(records.map(({ offset }) => offset)).toEqual(records.map((_, index) => index));
    for (let at = 0; at < records.length; at += 2) expect(records[at + 1]?.value).toBe(records[at]?.value);
    await on(0).log.delete("s");
    for (const table of ["streams", "log", "append_keys"]) {
      const { rows } = await admin.query(`SELECT count(*)::int AS count FROM ${place.schema}.tinyagents_${table}`);
      expect([table, rows[0].count]).toEqual([table, 0]);
    }
  });

  it("a truncate frees the room of what it drops, however much that is, and of nothing else", async () => {
    const { log } = on(0);
    for (let round = 0; round < 25; round++) await log.append("s", new Array(1_000).fill(round));
    await log.truncate("s", { before: 24_500 });
    const { rows } = await admin.query(`SELECT count(*)::int AS count FROM ${place.schema}.tinyagents_log`);
    expect(rows[0].count).toBe(500);
    expect((await log.read("s"))[0]).toEqual({ offset: 24_500, value: 24 });
  });
});
