import type { StoreKey } from "@tinyagents/core";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { PostgresBackend } from "../src/index.js";
import { admin, newPlace, type TestPlace, withServer } from "./support/place.js";

const KEY: StoreKey = ["thread", "1"];
const text = (content: string) => ({ type: "text", text: content }) as const;

withServer("tenants in the same tables (STO-10, SE-04, SE-06)", () => {
  let place: TestPlace;
  let opened: PostgresBackend[];

  beforeEach(() => {
    place = newPlace();
    opened = [];
  });

  afterEach(async () => {
    await Promise.all(opened.map(({ close }) => close()));
    await place.remove();
  });

  function tenant(namespace: string): PostgresBackend {
    const backend = place.open({ namespace });
    opened.push(backend);
    return backend;
  }

  it("have records of their own under equal keys: none sees, lists, replaces or deletes another's", async () => {
    const [a, b] = [tenant("a").store, tenant("b").store];
    const version = await a.put(KEY, text("of a"), { attributes: { open: true } });
    expect(await b.get(KEY)).toBeUndefined();
    expect((await b.list({ prefix: [] })).items).toEqual([]);
    expect((await b.list({ prefix: [], where: { open: true } })).items).toEqual([]);
    expect(await b.delete(KEY)).toBe(false);
    await expect(b.put(KEY, text("x"), { ifVersion: version })).rejects.toMatchObject({ code: "conflict" });
    await b.batch([{ type: "put", key: KEY, value: text("of b"), options: { ifVersion: null } }]);
    await b.batch([{ type: "delete", key: KEY }]);
    expect((await a.get(KEY))?.value).toEqual(text("of a"));
  });

  it("have streams of their own under equal names: offsets, keys and names are not shared", async () => {
    const [a, b] = [tenant("a").log, tenant("b").log];
    await a.append("s", ["of a", "of a"], { idempotencyKey: "k" });
    expect([await b.read("s"), await b.head("s"), await b.streams()]).toEqual([[], 0, []]);
    expect(await b.append("s", ["of b"], { idempotencyKey: "k" })).toBe(0);
    await b.truncate("s", { before: 1 });
    expect(await b.delete("s")).toBe(true);
    expect((await a.read("s")).map(({ value }) => value)).toEqual(["of a", "of a"]);
  });

  it("are not called back for appends of another", async () => {
    const [a, b] = [tenant("a").log, tenant("b").log];
    const heard: string[] = [];
    const ends = [await a.watch?.("s", () => heard.push("a")), await b.watch?.("s", () => heard.push("b"))];
    await a.append("s", ["x"]);
    await expect.poll(() => heard).toContain("a");
    expect(heard).not.toContain("b");
    for (const end of ends) end?.();
  });

  it("may have any name, and those that start another's or look like a pattern reach nobody else", async () => {
    const names = [
      "a",
      "ab",
      "a%",
      "%",
      "_",
      "*",
      "a\0b",
      "\0",
      "__proto__",
      "' OR 1=1 --",
      "half \ud83d",
      "\u{1F600}",
    ];
    for (const name of names) await tenant(name).store.put(KEY, text(name));
    for (const name of names) {
      const { items } = await tenant(name).store.list({ prefix: [] });
      expect(items.map(({ value }) => value)).toEqual([text(name)]);
    }
  });

  it("clear away their own expired records alone", async () => {
    const [a, b] = [tenant("a").store, tenant("b").store];
    await b.put(KEY, text("of b"), { ttlMs: 10 });
    await place.clock.advance(20);
    await a.put(KEY, text("of a"), { ttlMs: 10 });
    const { rows } = await admin.query(`SELECT count(*)::int AS count FROM ${place.schema}.tinyagents_records`);
    expect(rows[0].count).toBe(2);
  });
});
