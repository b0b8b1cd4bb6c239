import { assert, assertEqual, assertFails } from "../assert.js";
import type { Check } from "../check.js";
import type { StoreSituation, StoreUnderTest } from "./subject.js";
import { text, textOf, topic } from "./suite.js";

const KEY = ["thread", "1"];
const time = topic("time");

/** A store without expiry does not take what it would keep for good. */
async function refusesTtl({ store }: StoreSituation): Promise<void> {
  await assertFails(store.put(KEY, text("x"), { ttlMs: 1_000 }), "invalid_request", "a write with ttlMs");
  const batch = store.batch([{ type: "put", key: KEY, value: text("x"), options: { ttlMs: 1_000 } }]);
  await assertFails(batch, "invalid_request", "a batch with ttlMs");
  assertEqual(await store.get(KEY), undefined, "the record");
}

/** When a record was written, and when it is gone. */
export const timeChecks: readonly Check<StoreUnderTest>[] = [
  time(
    "notes when a record was written last",
    async ({ store, pass }) => {
      await store.put(["a"], text("one"));
      await store.put(["b"], text("one"));
      await pass(1_000);
      await store.put(["b"], text("two"));
      const [first, second] = (await store.list({ prefix: [] })).items;
      assertEqual((second?.updatedAtMs ?? 0) - (first?.updatedAtMs ?? 0), 1_000, "the time between");
    },
    { needs: ["time"] },
  ),
  time(
    "no longer has a record whose time is over, and still has the others",
    async ({ store, pass }) => {
      await store.put(KEY, text("short"), { ttlMs: 20 });
      await store.put(["thread", "2"], text("long"), { ttlMs: 3_600_000 });
      await store.batch([{ type: "put", key: ["thread", "3"], value: text("short"), options: { ttlMs: 20 } }]);
      await pass(60);
      assertEqual(await store.get(KEY), undefined, "the record whose time is over");
      assertEqual(await store.get(["thread", "3"]), undefined, "the one of a batch");
      assertEqual(textOf(await store.get(["thread", "2"])), "long", "the other");
    },
    { needs: ["ttl"], lacking: refusesTtl },
  ),
  time(
    "has an expired record neither for get, nor for list, nor for ifVersion, nor for delete",
    async ({ store, pass }) => {
      const version = await store.put(KEY, text("short"), { ttlMs: 100 });
      await store.put(["thread", "2"], text("long"), { ttlMs: 1_000 });
      await pass(99);
      assertEqual(textOf(await store.get(KEY)), "short", "the record, 1 ms before its time is over");
      await pass(1);
      assertEqual(await store.get(KEY), undefined, "the record");
      assertEqual((await store.list({ prefix: ["thread"] })).items.length, 1, "how many are listed");
      assertEqual(await store.delete(KEY), false, "deleting it");
      await assertFails(store.put(KEY, text("x"), { ifVersion: version }), "conflict", "writing over it");
      await store.put(KEY, text("anew"), { ifVersion: null });
      assertEqual(textOf(await store.get(KEY)), "anew", "the record that was created in its place");
    },
    { needs: ["ttl", "time"] },
  ),
  time(
    "forgets the expiry of a record that is written again without one",
    async ({ store, pass }) => {
      await store.put(KEY, text("one"), { ttlMs: 20 });
      await store.put(KEY, text("two"));
      await pass(60);
      assertEqual(textOf(await store.get(KEY)), "two", "the record");
    },
    { needs: ["ttl"] },
  ),
  time(
    "refuses a ttlMs that is no time",
    async ({ store }) => {
      for (const ttlMs of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, "5" as never]) {
        await assertFails(store.put(KEY, text("x"), { ttlMs }), "invalid_request", `ttlMs ${ttlMs}`);
      }
      assert((await store.get(KEY)) === undefined, "a write that was refused was done");
    },
    { needs: ["ttl"] },
  ),
];
