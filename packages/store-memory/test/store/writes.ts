import assert from "node:assert/strict";
import { type Check, failsWith } from "../check.js";
import { json, type StoreSubject, text, textOf } from "./subject.js";

const KEY = ["thread", "1"];

/** Versions, conditions, expiry and batches. */
export const writeChecks: readonly Check<StoreSubject>[] = [
  {
    name: "gives every write of a key a version of its own, also after a delete",
    async run({ store }) {
      const versions = new Set<string>();
      for (let i = 0; i < 3; i++) versions.add(await store.put(KEY, text("same")));
      await store.delete(KEY);
      versions.add(await store.put(KEY, text("same")));
      assert.equal(versions.size, 4);
      assert.ok(versions.has((await store.get(KEY))?.version ?? ""));
    },
  },
  {
    name: "writes a record whole: attributes and expiry of the one before are gone",
    async run({ store, advance }) {
      await store.put(KEY, text("one"), { attributes: { a: 1 }, ttlMs: 10 });
      await store.put(KEY, text("two"));
      await advance(20);
      assert.deepEqual((await store.get(KEY))?.attributes, {});
    },
  },
  {
    name: "notes when a record was written",
    async run({ store, advance }) {
      await store.put(["a"], text("one"));
      await advance(1_000);
      await store.put(["b"], text("two"));
      const [first, second] = (await store.list({ prefix: [] })).items;
      assert.equal((second?.updatedAtMs ?? 0) - (first?.updatedAtMs ?? 0), 1_000);
    },
  },
  {
    name: "lets exactly one of two writers win that saw the same version",
    async run({ store }) {
      const seen = await store.put(KEY, text("base"));
      const won = await store.put(KEY, text("first"), { ifVersion: seen });
      const { details } = await failsWith(store.put(KEY, text("second"), { ifVersion: seen }), "conflict");
      assert.deepEqual([details.expected, details.found], [seen, won]);
      assert.ok(details.resource.includes("thread"));
      assert.equal(textOf(await store.get(KEY)), "first");
    },
  },
  {
    name: "creates a record only where there is none when ifVersion is null",
    async run({ store }) {
      const version = await store.put(KEY, text("first"), { ifVersion: null });
      const { details } = await failsWith(store.put(KEY, text("second"), { ifVersion: null }), "conflict");
      assert.deepEqual([details.expected, details.found], [null, version]);
      await failsWith(store.put(["none"], text("x"), { ifVersion: version }), "conflict");
      assert.equal(textOf(await store.get(KEY)), "first");
    },
  },
  {
    name: "deletes only the version that was named, and says whether there was a record",
    async run({ store }) {
      assert.equal(await store.delete(KEY), false);
      const old = await store.put(KEY, text("old"));
      const current = await store.put(KEY, text("current"));
      const { details } = await failsWith(store.delete(KEY, { ifVersion: old }), "conflict");
      assert.deepEqual([details.expected, details.found], [old, current]);
      assert.equal(await store.delete(KEY, { ifVersion: current }), true);
      assert.equal(await store.get(KEY), undefined);
      const gone = await failsWith(store.delete(KEY, { ifVersion: current }), "conflict");
      assert.equal(gone.details.found, null);
    },
  },
  {
    name: "has an expired record neither for get, nor for list, nor for ifVersion, nor for delete",
    async run({ store, advance }) {
      const version = await store.put(KEY, text("short"), { ttlMs: 100 });
      await store.put(["thread", "2"], text("long"), { ttlMs: 1_000 });
      await advance(99);
      assert.equal(textOf(await store.get(KEY)), "short");
      await advance(1);
      assert.equal(await store.get(KEY), undefined);
      assert.equal((await store.list({ prefix: ["thread"] })).items.length, 1);
      assert.equal(await store.delete(KEY), false);
      await failsWith(store.put(KEY, text("x"), { ifVersion: version }), "conflict");
      await store.put(KEY, text("anew"), { ifVersion: null });
      assert.equal(textOf(await store.get(KEY)), "anew");
    },
  },
  {
    name: "refuses a ttlMs that is no time",
    async run({ store }) {
      for (const ttlMs of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
        await failsWith(store.put(KEY, text("x"), { ttlMs }), "invalid_request");
      }
      assert.equal(await store.get(KEY), undefined);
    },
  },
  {
    name: "does a batch in order, each operation seeing those before it, and gives the versions of its puts",
    async run({ store }) {
      await store.put(["old"], text("old"));
      const versions = await store.batch([
        { type: "put", key: ["a"], value: text("1") },
        { type: "delete", key: ["old"] },
        { type: "put", key: ["old"], value: text("new"), options: { ifVersion: null } },
        { type: "delete", key: ["a"] },
        { type: "delete", key: ["never"] },
      ]);
      assert.equal(await store.get(["a"]), undefined);
      assert.equal(textOf(await store.get(["old"])), "new");
      assert.equal(versions[2], (await store.get(["old"]))?.version);
      assert.deepEqual([versions[1], versions[3], versions[4], versions.length], [undefined, undefined, undefined, 5]);
      assert.deepEqual(await store.batch([]), []);
    },
  },
  {
    name: "does nothing of a batch in which one condition fails or one value is refused",
    async run({ store }) {
      await store.put(["kept"], text("kept"));
      const first = { type: "put", key: ["new"], value: text("x") } as const;
      const second = { type: "delete", key: ["kept"] } as const;
      const stale = { type: "put", key: ["other"], value: text("x"), options: { ifVersion: "no such" } } as const;
      await failsWith(store.batch([first, second, stale]), "conflict");
      const notJson = { type: "put", key: ["other"], value: json(Number.NaN) } as const;
      await failsWith(store.batch([first, second, notJson]), "invalid_request");
      const twice = { type: "put", key: ["new"], value: text("y"), options: { ifVersion: null } } as const;
      await failsWith(store.batch([first, second, twice]), "conflict");
      const { items } = await store.list({ prefix: [] });
      assert.deepEqual(items.map(textOf), ["kept"]);
    },
  },
];
