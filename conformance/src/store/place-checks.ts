import { isTinyAgentsError, type Store } from "@tinyagents/core";
import { assert, assertEqual, assertFails } from "../assert.js";
import type { Check } from "../check.js";
import { DELICATE_TEXTS, HOSTILE_NAMES } from "./hostile.js";
import type { StoreUnderTest } from "./subject.js";
import { atOnce, bytes, countOutcomes, fill, json, keysOf, text, textOf, topic } from "./suite.js";

const KEY = ["thread", "1"];
const durability = topic("durability");
const processes = topic("several processes");
const closing = topic("closing");
const claims = topic("claims");

/** Calls of every method, for what holds of all. */
export const CALLS: { readonly [name: string]: (store: Store, signal?: AbortSignal) => Promise<unknown> } = {
  get: (store, signal) => store.get(KEY, { signal }),
  put: (store, signal) => store.put(KEY, text("x"), { signal }),
  delete: (store, signal) => store.delete(KEY, { signal }),
  list: (store, signal) => store.list({ prefix: [] }, { signal }),
  batch: (store, signal) => store.batch([{ type: "put", key: KEY, value: text("x") }], { signal }),
};

/** What outlives a handle, what handles share, and what is left of one that is closed. */
export const placeChecks: readonly Check<StoreUnderTest>[] = [
  claims("says of each capability yes or no", async ({ store }) => {
    for (const name of ["durable", "multiProcess", "atomicBatch", "ttl"] as const) {
      assertEqual(typeof store.capabilities[name], "boolean", `the type of capabilities.${name}`);
    }
  }),
  durability(
    "still has every record, exactly as it was, when the place is opened again",
    async ({ store, reopen }) => {
      const values = [...DELICATE_TEXTS.map(text), json({ z: [1, null], a: "\u0000" }), bytes(0, 255), bytes()];
      for (const [index, value] of values.entries())
        await store.put(["v", String(index)], value, { attributes: { index } });
      await fill(
        store,
        HOSTILE_NAMES.map((name) => ["n", name]),
      );
      await store.delete(["v", "0"]);
      const all = await store.list({ prefix: [], limit: 1_000 });
      const again = await (await reopen()).store.list({ prefix: [], limit: 1_000 });
      assertEqual(again.items.length, values.length + HOSTILE_NAMES.length - 1, "how many records there are");
      assertEqual(again, all, "what is listed");
    },
    { needs: ["durable"] },
  ),
  durability(
    "goes on with its versions when the place is opened again",
    async ({ store, reopen }) => {
      const seen = [await store.put(KEY, text("one")), await store.put(KEY, text("two"))];
      let { store: next } = await reopen();
      const third = await next.put(KEY, text("three"), { ifVersion: seen[1] as string });
      await assertFails(next.put(KEY, text("x"), { ifVersion: seen[1] as string }), "conflict", "an old version");
      await next.delete(KEY);
      next = (await reopen()).store;
      assertEqual(new Set([...seen, third, await next.put(KEY, text("four"))]).size, 4, "how many versions there were");
    },
    { needs: ["durable"] },
  ),
  durability(
    "does not forget when a record expires when the place is opened again",
    async ({ store, reopen, pass }) => {
      await store.put(KEY, text("short"), { ttlMs: 20 });
      await store.put(["long"], text("long"), { ttlMs: 3_600_000 });
      const next = (await reopen()).store;
      await pass(60);
      assertEqual(await next.get(KEY), undefined, "the record whose time is over");
      assertEqual(textOf(await next.get(["long"])), "long", "the other");
    },
    { needs: ["durable", "ttl"] },
  ),
  processes(
    "shows what one store on a place has written to the others at once",
    async ({ store, open }) => {
      const other = (await open()).store;
      assertEqual(await other.get(KEY), undefined, "the record before it is written");
      const version = await store.put(KEY, text("one"), { attributes: { n: 1 } });
      assertEqual((await other.get(KEY))?.version, version, "its version");
      assertEqual(keysOf((await other.list({ prefix: [], where: { n: 1 } })).items), [KEY], "what is listed");
      await other.delete(KEY);
      assertEqual(await store.get(KEY), undefined, "the record that the other took away");
    },
    { needs: ["multiProcess"] },
  ),
  processes(
    "lets exactly one of several stores on a place win that write over the same version at once",
    async ({ store, open }) => {
      const stores = [store, (await open()).store, (await open()).store];
      const ifVersion = await store.put(KEY, text("base"));
      const put = (index: number) => (stores[index % 3] as Store).put(KEY, text(String(index)), { ifVersion });
      assertEqual(countOutcomes(await atOnce(12, put)), { done: 1, conflict: 11 }, "what came of them");
    },
    { needs: ["multiProcess"] },
  ),
  closing(
    "fails every call with store_failed once it is closed, however often it is closed",
    async ({ store, first }) => {
      await store.put(KEY, text("x"));
      await Promise.all([first.close?.(), first.close?.()]);
      await first.close?.();
      for (const [name, call] of Object.entries(CALLS)) await assertFails(call(store), "store_failed", name);
    },
    { needs: ["close"] },
  ),
  closing(
    "lets the writes under way end when it is closed, and keeps those that it acknowledged",
    async ({ store, first, reopen }) => {
      const writing = atOnce(20, (index) => store.put([String(index)], text("x")));
      await first.close?.();
      const outcomes = await writing;
      const failed = outcomes.filter((outcome) => outcome instanceof Error);
      const wrong = failed.filter((error) => !isTinyAgentsError(error, "store_failed"));
      assertEqual(wrong.map(String), [], "failures other than store_failed");
      if (!store.capabilities.durable) return;
      const next = (await reopen()).store;
      for (const [index, outcome] of outcomes.entries()) {
        if (outcome instanceof Error) continue;
        assert((await next.get([String(index)])) !== undefined, `write ${index} was acknowledged, and is not there`);
      }
    },
    { needs: ["close"] },
  ),
];
