import { afterEach, beforeEach, expect, it } from "vitest";
import type { PostgresBackend } from "../src/index.js";
import { admin, newPlace, type TestPlace, withServer } from "./support/place.js";

const text = (content: string) => ({ type: "text", text: content }) as const;

/** Text that does not compress. */
function noise(length: number): string {
  let state = 1;
  const next = (): string => {
    state = (state * 48_271) % 2_147_483_647;
    return String.fromCharCode(33 + (state % 90));
  };
  return Array.from({ length }, next).join("");
}

withServer("what is stored", () => {
  let place: TestPlace;
  let backend: PostgresBackend;

  beforeEach(() => {
    place = newPlace();
    backend = place.open();
  });

  afterEach(async () => {
    await backend.close();
    await place.remove();
  });

  async function sizeOf(table: string): Promise<number> {
    const name = `${place.schema}.tinyagents_${table}`;
    return Number((await admin.query("SELECT pg_total_relation_size($1) AS size", [name])).rows[0].size);
  }

  async function countOf(table: string): Promise<number> {
    return (await admin.query(`SELECT count(*)::int AS count FROM ${place.schema}.tinyagents_${table}`)).rows[0].count;
  }

  it("grows by what changes, and not by what is large and stays as it is beside it (DG-02)", async () => {
    await backend.store.put(["large"], text(noise(1_000_000)));
    await backend.log.append("s", [noise(1_000_000)], { idempotencyKey: "large" });
    const before = [await sizeOf("records"), await sizeOf("log"), await sizeOf("append_keys")];
    for (let round = 0; round < 100; round++) {
      await backend.store.put(["small"], text(String(round)));
      await backend.log.append("s", [round], { idempotencyKey: String(round) });
    }
    const after = [await sizeOf("records"), await sizeOf("log"), await sizeOf("append_keys")];
    for (const [index, size] of after.entries()) expect(size - (before[index] ?? 0)).toBeLessThan(100_000);
  });

  it("is cleared away once it has expired, by later writes, some at a time", async () => {
    const { store } = backend;
    const puts = Array.from(
      { length: 600 },
      (_, index) => ({ type: "put", key: [String(index)], value: text("x"), options: { ttlMs: 10 } }) as const,
    );
    await store.batch(puts);
    await store.put(["stays"], text("x"));
    await place.clock.advance(10);
    expect((await store.list({ prefix: [] })).items).toHaveLength(1);
    for (let round = 0; round < 200; round++) await store.put(["again"], text("x"), { ttlMs: 1_000 });
    expect(await countOf("records")).toBe(2);
  });

  it("is written over when it has expired: its record is made anew", async () => {
    const { store } = backend;
    await store.put(["a"], text("old"), { ttlMs: 10, attributes: { of: "old" } });
    await place.clock.advance(10);
    await store.put(["a"], text("new"), { ifVersion: null });
    await place.clock.advance(1_000);
    expect(await store.get(["a"])).toMatchObject({ value: text("new"), attributes: {} });
  });
});
