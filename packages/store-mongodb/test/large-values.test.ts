import { isTinyAgentsError, manualClock, type StoreValue } from "@tinyagents/core";
import { describe, expect, it } from "vitest";
import { mongodbBackend } from "../src/index.js";
import { client, database, keep, missing, newPlace, open } from "./place.js";

const MIB = 1024 * 1024;

function bytes(size: number): Uint8Array {
  return new Uint8Array(Buffer.alloc(size, "\u0000 any bytes \u00ff", "latin1"));
}

/** How many documents a collection of a place has. */
function count(collectionPrefix: string | undefined, name: string): Promise<number> {
  return client.db(database).collection(`${collectionPrefix}${name}`).countDocuments();
}

describe("values that are larger than a document (ST-05)", () => {
  it("come back whole: 17 MiB of bytes under a key, and 5 MiB of JSON in a log", async ({ skip }) => {
    skip(missing !== undefined, missing);
    const { store, log } = await open();
    const value = bytes(17 * MIB);
    await store.put(["a"], { type: "bytes", bytes: value });
    const found = (await store.get(["a"]))?.value;
    expect(found?.type === "bytes" && Buffer.compare(found.bytes, value)).toBe(0);
    const text = "\u00fc".repeat((5 * MIB) / 2);
    expect(await log.append("s", ["first", { text }, "last"])).toBe(0);
    await log.append("s", ["next"]);
    const values = (await log.read("s", { from: 1, limit: 2 })).map((record) => record.value);
    expect(values).toEqual([{ text }, "last"]);
  });

  it("leave nothing behind when they are replaced, deleted, refused, truncated or expired", async ({ skip }) => {
    skip(missing !== undefined, missing);
    const clock = manualClock();
    const place = newPlace({ chunkBytes: 1_024, clock });
    const { store, log } = keep(await mongodbBackend(place));
    const large: StoreValue = { type: "bytes", bytes: bytes(5_000) };
    const chunks = (): Promise<number> => count(place.collectionPrefix, "chunks");
    const version = await store.put(["a"], large);
    expect(await chunks()).toBe(5);
    await store.put(["a"], large);
    expect(await chunks()).toBe(5);
    await expect(store.put(["a"], large, { ifVersion: version })).rejects.toMatchObject({ code: "conflict" });
    await expect(store.put(["a"], large, { ifVersion: null })).rejects.toMatchObject({ code: "conflict" });
    expect(await chunks()).toBe(5);
    await store.put(["a"], large, { ttlMs: 5 });
    await clock.advance(5);
    await store.put(["a"], { type: "text", text: "small" }, { ifVersion: null });
    expect(await chunks()).toBe(0);
    await store.put(["a"], large);
    await store.delete(["a"]);
    expect(await chunks()).toBe(0);
    await log.append("s", ["x".repeat(5_000)], { idempotencyKey: "k" });
    await log.append("s", ["x".repeat(5_000)], { idempotencyKey: "k" });
    await expect(log.append("s", ["x".repeat(5_000)], { expectedOffset: 7 })).rejects.toMatchObject({
      code: "conflict",
    });
    expect(await chunks()).toBe(5);
    await log.append("s", ["small"]);
    await log.truncate("s", { before: 1 });
    expect(await chunks()).toBe(0);
    await log.append("s", ["x".repeat(5_000)]);
    await log.truncate("s", { before: 3 });
    expect(await chunks()).toBe(0);
    await log.append("s", ["x".repeat(5_000)]);
    await log.delete("s");
    expect([await chunks(), await count(place.collectionPrefix, "owners")]).toEqual([0, 0]);
  });

  it("are read as one version or another while they are replaced", async ({ skip }) => {
    skip(missing !== undefined, missing);
    const { store } = await open({ chunkBytes: 1_024 });
    const numbered = (index: number): StoreValue => ({ type: "text", text: String(index).repeat(4_000) });
    await store.put(["a"], numbered(0));
    const writing = (async () => {
      for (let index = 1; index < 10; index++) await store.put(["a"], numbered(index));
    })();
    const seen = new Set<string>();
    for (let i = 0; i < 10; i++) {
      const [got] = (await store.list({ prefix: [] })).items;
      const value = (i % 2 === 0 ? got : await store.get(["a"]))?.value;
      if (value?.type !== "text") throw new Error("the record was gone");
      expect(value.text).toMatch(/^(\d)\1{3999}$/);
      seen.add(value.text);
    }
    await writing;
    expect(seen.size).toBeGreaterThan(0);
  });

  it("are no way around the limit: a key and attributes that fill a document are refused before anything is written", async ({
    skip,
  }) => {
    skip(missing !== undefined, missing);
    const { store, log } = await open();
    const long = "x".repeat(MIB);
    const value: StoreValue = { type: "text", text: "x" };
    await expect(store.put(["a"], value, { attributes: { long } })).rejects.toThrow(/the attributes 1048\d+; together/);
    await expect(store.put([long], value)).rejects.toMatchObject({ code: "invalid_request" });
    await expect(log.append(long, ["x"])).rejects.toThrow("stream: a text of at most 131072 bytes is expected");
    await expect(log.append("s", ["x"], { idempotencyKey: long })).rejects.toThrow("idempotencyKey: ");
    expect([await store.list({ prefix: [] }), await log.streams()]).toEqual([{ items: [] }, []]);
  });

  it("that are still being written after half a day are given up, before somebody takes their chunks away", async ({
    skip,
  }) => {
    skip(missing !== undefined, missing);
    let nowMs = 0;
    const clock = { ...manualClock(), now: () => (nowMs += 5 * 3_600_000) };
    const place = newPlace({ chunkBytes: 1_024, clock });
    const { store } = keep(await mongodbBackend(place));
    clock.now = () => (nowMs += 13 * 3_600_000);
    const error = await store.put(["a"], { type: "bytes", bytes: bytes(5_000) }).catch((thrown: unknown) => thrown);
    expect(isTinyAgentsError(error, "store_failed") && error.retryable).toBe(true);
    expect(await store.get(["a"])).toBeUndefined();
    expect(await count(place.collectionPrefix, "chunks")).toBe(0);
  });
});

describe("what only one of several records changes (DG-02)", () => {
  it("is all that is written again: a large record that nobody writes stays as it is", async ({ skip }) => {
    skip(missing !== undefined, missing);
    const place = newPlace({ chunkBytes: 64 * 1024 });
    const { store, log } = keep(await mongodbBackend(place));
    await store.put(["state", "large"], { type: "bytes", bytes: bytes(MIB) });
    const before = await count(place.collectionPrefix, "chunks");
    for (let i = 0; i < 20; i++) {
      await store.put(["state", "small"], { type: "json", value: i });
      await log.append("changes", [i]);
    }
    expect(before).toBe(16);
    expect(await count(place.collectionPrefix, "chunks")).toBe(before);
    expect(await count(place.collectionPrefix, "records")).toBe(2);
  });
});
