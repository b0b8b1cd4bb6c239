import assert from "node:assert/strict";
import type { ListQuery, Store, StoreKey } from "@tinyagents/core";
import { type Check, failsWith } from "../check.js";
import { fill, keysOf, type StoreSubject, text } from "./subject.js";

/** All pages of a query, one after the other. `between` runs after each page. */
async function pages(store: Store, query: ListQuery, between?: (page: number) => Promise<void>): Promise<StoreKey[]> {
  const keys: StoreKey[] = [];
  let cursor: string | undefined;
  for (let page = 0; page === 0 || cursor !== undefined; page++) {
    const found = await store.list({ ...query, cursor });
    assert.ok(found.items.length <= (query.limit ?? 100));
    keys.push(...keysOf(found.items));
    cursor = found.cursor;
    await between?.(page);
  }
  return keys;
}

/** Order, prefixes, attributes and pages. */
export const listingChecks: readonly Check<StoreSubject>[] = [
  {
    name: "lists by key, name by name in code unit order, whatever the order of writing (STO-01)",
    async run({ store }) {
      const ordered = [
        ["A"],
        ["a"],
        ["a", "10"],
        ["a", "9"],
        ["a", "9", "x"],
        ["a!"],
        ["a/b"],
        ["b"],
        ["\ud83d\ude00"],
        ["\uffee"],
      ];
      await fill(store, [...ordered].reverse());
      assert.deepEqual(keysOf((await store.list({ prefix: [] })).items), ordered);
      const descending = await store.list({ prefix: [], order: "descending" });
      assert.deepEqual(keysOf(descending.items), [...ordered].reverse());
    },
  },
  {
    name: "matches the names of a prefix whole, and never as joined text",
    async run({ store }) {
      await fill(store, [["a"], ["a", "b"], ["a", "b", "c"], ["a/b"], ["ab"], ["a", "bc"]]);
      assert.deepEqual(keysOf((await store.list({ prefix: ["a"] })).items), [
        ["a"],
        ["a", "b"],
        ["a", "b", "c"],
        ["a", "bc"],
      ]);
      assert.deepEqual(keysOf((await store.list({ prefix: ["a", "b"] })).items), [
        ["a", "b"],
        ["a", "b", "c"],
      ]);
      assert.deepEqual(keysOf((await store.list({ prefix: ["a/b"] })).items), [["a/b"]]);
      assert.deepEqual(keysOf((await store.list({ prefix: ["none"] })).items), []);
    },
  },
  {
    name: "selects the records that have all of the attributes, compared by type and value",
    async run({ store }) {
      await store.put(["1"], text("1"), { attributes: { kind: "run", open: true, n: 1 } });
      await store.put(["2"], text("2"), { attributes: { kind: "run", open: false, n: 1 } });
      await store.put(["3"], text("3"), { attributes: { kind: "run", open: true, n: "1" } });
      await store.put(["4"], text("4"), { attributes: { open: null } });
      await store.put(["5"], text("5"));
      const found = async (where: ListQuery["where"]): Promise<string> =>
        keysOf((await store.list({ prefix: [], where })).items).join("");
      assert.equal(await found({ kind: "run" }), "123");
      assert.equal(await found({ kind: "run", open: true }), "13");
      assert.equal(await found({ n: 1 }), "12");
      assert.equal(await found({ open: null }), "4");
      assert.equal(await found({ toString: "x" } as never), "");
      assert.equal(await found({}), "12345");
    },
  },
  {
    name: "refuses to select by an attribute whose value is undefined, where everything would match",
    async run({ store }) {
      const where = { tenant: undefined } as never;
      const { message } = await failsWith(store.list({ prefix: [], where }), "invalid_request");
      assert.ok(message.includes("where.tenant"));
    },
  },
  {
    name: "gives pages that add up to the whole, with no cursor on the last one",
    async run({ store }) {
      const keys = Array.from({ length: 10 }, (_, i) => ["k", String(i)]);
      await fill(store, keys);
      for (const limit of [1, 3, 5, 10, 11]) {
        assert.deepEqual(await pages(store, { prefix: ["k"], limit }), keys);
        assert.deepEqual(await pages(store, { prefix: ["k"], limit, order: "descending" }), [...keys].reverse());
      }
      assert.equal((await store.list({ prefix: ["k"], limit: 10 })).cursor, undefined);
      assert.notEqual((await store.list({ prefix: ["k"], limit: 9 })).cursor, undefined);
    },
  },
  {
    name: "gives at most 100 records when nobody says how many",
    async run({ store }) {
      await fill(
        store,
        Array.from({ length: 101 }, (_, i) => [String(i)]),
      );
      const page = await store.list({ prefix: [] });
      assert.equal(page.items.length, 100);
      assert.notEqual(page.cursor, undefined);
    },
  },
  {
    name: "neither repeats nor misses a record when others come and go between pages",
    async run({ store }) {
      for (const order of ["ascending", "descending"] as const) {
        const keys = Array.from({ length: 9 }, (_, i) => [order, `m${i}`]);
        await fill(store, keys);
        const disturb = async (page: number): Promise<void> => {
          await fill(store, [
            [order, `a${page}`],
            [order, `m4${page}`],
            [order, `z${page}`],
          ]);
          if (page === 0) await store.delete([order, order === "ascending" ? "m1" : "m7"]);
        };
        const seen = (await pages(store, { prefix: [order], limit: 2, order }, disturb)).map((key) => key[1]);
        assert.equal(new Set(seen).size, seen.length, "none is repeated");
        for (const [, name] of keys) assert.ok(seen.includes(name), `${name} is not missed`);
      }
    },
  },
  {
    name: "refuses a limit, an order or a cursor that cannot be",
    async run({ store }) {
      for (const limit of [0, -1, 1.5, Number.NaN])
        await failsWith(store.list({ prefix: [], limit }), "invalid_request");
      for (const cursor of ["", "nonsense", "{}", "[]", '[""]', "[1]"]) {
        await failsWith(store.list({ prefix: [], cursor }), "invalid_request");
      }
      await failsWith(store.list({ prefix: [], order: "up" as never }), "invalid_request");
      await failsWith(store.list({ prefix: "a" as never }), "invalid_request");
    },
  },
];
