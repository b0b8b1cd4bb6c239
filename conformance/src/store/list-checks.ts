import type { ListQuery, Store, StoreKey } from "@tinyagents/core";
import { assert, assertEqual, assertFails, assertIncludes } from "../assert.js";
import type { Check } from "../check.js";
import type { StoreUnderTest } from "./subject.js";
import { atOnce, fill, keysOf, text, topic } from "./suite.js";

/** More pages than any check can have: a cursor that leads nowhere is found out. */
const MOST_PAGES = 200;

const listing = topic("listing");

/** All pages of a query, one after the other. `between` runs after each page. */
async function pages(store: Store, query: ListQuery, between?: (page: number) => Promise<void>): Promise<StoreKey[]> {
  const keys: StoreKey[] = [];
  let cursor: string | undefined;
  for (let page = 0; page === 0 || cursor !== undefined; page++) {
    const found = await store.list({ ...query, cursor });
    assert(page < MOST_PAGES, `there is a cursor after ${page} pages`);
    assert(found.items.length <= (query.limit ?? 100), `a page has ${found.items.length} records`);
    keys.push(...keysOf(found.items));
    cursor = found.cursor;
    await between?.(page);
  }
  return keys;
}

/** Order, prefixes, attributes and pages. */
export const listChecks: readonly Check<StoreUnderTest>[] = [
  listing("lists by key, name by name in code unit order, whatever the order of writing", async ({ store }) => {
    const starts = [["A"], ["a"], ["a", "10"], ["a", "9"], ["a", "9", "x"], ["a", "9\u0000"], ["a\u0000"], ["a!"]];
    const ordered = [...starts, ["a/b"], ["b"], ["\u00e9"], ["\ud83d\ude00"], ["\uffee"]];
    for (const step of [5, 8, 3, 1, 9, 0, 12, 2, 11, 4, 6, 10, 7]) await fill(store, [ordered[step] as StoreKey]);
    assertEqual(keysOf((await store.list({ prefix: [] })).items), ordered, "the keys");
    const descending = await store.list({ prefix: [], order: "descending" });
    assertEqual(keysOf(descending.items), [...ordered].reverse(), "the keys from the end");
  }),
  listing("matches the names of a prefix whole, and never as joined text", async ({ store }) => {
    await fill(store, [["a"], ["a", "b"], ["a", "b", "c"], ["a/b"], ["ab"], ["a", "bc"], ["A"]]);
    const under = async (prefix: StoreKey): Promise<readonly StoreKey[]> =>
      keysOf((await store.list({ prefix })).items);
    assertEqual(await under(["a"]), [["a"], ["a", "b"], ["a", "b", "c"], ["a", "bc"]], "what starts with a");
    assertEqual(
      await under(["a", "b"]),
      [
        ["a", "b"],
        ["a", "b", "c"],
      ],
      "what starts with a, b",
    );
    assertEqual(await under(["a/b"]), [["a/b"]], "what starts with a/b");
    assertEqual(await under(["none"]), [], "what starts with none");
  }),
  listing("selects the records that have all of the attributes, compared by type and value", async ({ store }) => {
    await store.put(["1"], text("1"), { attributes: { kind: "run", open: true, n: 1 } });
    await store.put(["2"], text("2"), { attributes: { kind: "run", open: false, n: 1 } });
    await store.put(["3"], text("3"), { attributes: { kind: "run", open: true, n: "1" } });
    await store.put(["4"], text("4"), { attributes: { open: null, kind: "Run" } });
    await store.put(["5"], text("5"));
    const found = async (where: ListQuery["where"]): Promise<string> =>
      (await pages(store, { prefix: [], where })).join("");
    assertEqual(await found({ kind: "run" }), "123", "kind run");
    assertEqual(await found({ kind: "run", open: true }), "13", "kind run and open");
    assertEqual(await found({ n: 1 }), "12", "n 1");
    assertEqual(await found({ open: null }), "4", "open null");
    assertEqual(await found({ open: "true" }), "", "open as a text");
    assertEqual(await found({ nobody: "x" }), "", "an attribute that no record has");
    assertEqual(await found({ kind: "run", nobody: null }), "", "one that some have, and one that none has");
    assertEqual(await found({}), "12345", "no attribute");
  }),
  listing("selects before it counts: a page of what was selected is full", async ({ store }) => {
    for (let i = 0; i < 12; i++)
      await store.put(["k", String(i % 6), String(i)], text("x"), { attributes: { n: i % 3 } });
    const where = { n: 1 };
    const page = await store.list({ prefix: ["k"], where, limit: 3 });
    assertEqual(page.items.length, 3, "the records of the first page");
    assertEqual((await pages(store, { prefix: ["k"], where, limit: 3 })).length, 4, "the records of all pages");
  }),
  listing("refuses to select by what it cannot compare, where everything would match", async ({ store }) => {
    await store.put(["tenant-a"], text("secret"), { attributes: { tenant: "a" } });
    for (const wanted of [undefined, { $ne: "b" }, ["a"], Number.NaN]) {
      const list = store.list({ prefix: [], where: { tenant: wanted } as never });
      const error = await assertFails(list, "invalid_request", `where tenant is ${JSON.stringify(wanted)}`);
      assertIncludes(error.message, "where.tenant", "the message");
    }
    await assertFails(store.list({ prefix: [], where: "tenant" as never }), "invalid_request", "where as a text");
  }),
  listing("refuses a query with a field that it does not know, where everything would match", async ({ store }) => {
    await store.put(["tenant-a"], text("secret"), { attributes: { tenant: "a" } });
    const query = { prefix: [], filter: { tenant: "b" } };
    const error = await assertFails(store.list(query), "invalid_request", "a query with the field filter");
    assertIncludes(error.message, "filter", "the message");
  }),
  listing("gives pages that add up to the whole, with no cursor on the last one", async ({ store }) => {
    const keys = Array.from({ length: 10 }, (_, i) => ["k", String(i)]);
    await fill(store, keys);
    for (const limit of [1, 3, 5, 10, 11]) {
      assertEqual(await pages(store, { prefix: ["k"], limit }), keys, `pages of ${limit}`);
      const backward = await pages(store, { prefix: ["k"], limit, order: "descending" });
      assertEqual(backward, [...keys].reverse(), `pages of ${limit} from the end`);
    }
    assertEqual((await store.list({ prefix: ["k"], limit: 10 })).cursor, undefined, "the cursor of the only page");
    assert((await store.list({ prefix: ["k"], limit: 9 })).cursor !== undefined, "a page before others has no cursor");
  }),
  listing("gives at most 100 records when nobody says how many", async ({ store }) => {
    await fill(
      store,
      Array.from({ length: 101 }, (_, i) => [String(i)]),
    );
    const page = await store.list({ prefix: [] });
    assertEqual(page.items.length, 100, "the records of the page");
    assert(page.cursor !== undefined, "the page has no cursor");
  }),
  listing("neither repeats nor misses a record when others come and go between pages", async ({ store }) => {
    for (const order of ["ascending", "descending"] as const) {
      const keys = Array.from({ length: 9 }, (_, i) => [order, `m${i}`]);
      await fill(store, keys);
      const disturb = async (page: number): Promise<void> => {
        if (page > 5) return;
        await fill(store, [
          [order, `a${page}`],
          [order, `m4${page}`],
          [order, `z${page}`],
        ]);
        if (page === 0) await store.delete([order, order === "ascending" ? "m1" : "m7"]);
      };
      const seen = (await pages(store, { prefix: [order], limit: 2, order }, disturb)).map((key) => key[1]);
      assertEqual(new Set(seen).size, seen.length, "how many different records were seen");
      for (const [, name] of keys) assert(seen.includes(name), `${name} was missed`);
    }
  }),
  listing("neither repeats nor misses a record while many write at once", async ({ store }) => {
    const keys = Array.from({ length: 20 }, (_, i) => ["k", String(i).padStart(2, "0")]);
    await fill(store, keys);
    const writing = atOnce(40, (index) =>
      index % 2 === 0
        ? store.put(["k", `${index}-new`], text("x"))
        : store.put(keys[index % 20] as StoreKey, text("y")),
    );
    const seen = (await pages(store, { prefix: ["k"], limit: 3 })).map((key) => key.join("/"));
    const failed = (await writing).filter((outcome) => outcome instanceof Error);
    assertEqual(failed.map(String), [], "writes that failed");
    assertEqual(new Set(seen).size, seen.length, "how many different records were seen");
    for (const key of keys) assert(seen.includes(key.join("/")), `${key.join("/")} was missed`);
  }),
  listing("refuses a limit, an order or a cursor that cannot be", async ({ store }) => {
    for (const limit of [0, -1, 1.5, Number.NaN, "5" as never]) {
      await assertFails(store.list({ prefix: [], limit }), "invalid_request", `limit ${limit}`);
    }
    for (const cursor of ["", "nonsense", "{}", "[]", '[""]', "[1]"]) {
      await assertFails(store.list({ prefix: [], cursor }), "invalid_request", `cursor ${cursor}`);
    }
    await assertFails(store.list({ prefix: [], order: "up" as never }), "invalid_request", "order up");
    await assertFails(store.list({ prefix: "a" as never }), "invalid_request", "a prefix that is a text");
  }),
];
