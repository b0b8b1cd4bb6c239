import type { Store, StoreVersion } from "@tinyagents/core";
import { assert, assertEqual, assertFails, assertIncludes } from "../assert.js";
import type { Check } from "../check.js";
import type { StoreUnderTest } from "./subject.js";
import { atOnce, countOutcomes, json, text, textOf, topic } from "./suite.js";

const KEY = ["thread", "1"];
const versions = topic("versions");
const races = topic("races");

/** Versions and conditions, of one caller and of many at once. */
export const versionChecks: readonly Check<StoreUnderTest>[] = [
  versions("gives every write of a key a version of its own, also after a delete", async ({ store }) => {
    const seen = new Set<string>();
    for (let write = 0; write < 3; write++) seen.add(await store.put(KEY, text("same")));
    await store.delete(KEY);
    const last = await store.put(KEY, text("same"));
    assertEqual(seen.add(last).size, 4, "how many versions there were");
    assertEqual((await store.get(KEY))?.version, last, "the version of the record");
  }),
  versions("writes a record whole: the attributes of the one before are gone", async ({ store }) => {
    await store.put(KEY, text("one"), { attributes: { a: 1 } });
    await store.put(KEY, text("two"));
    assertEqual((await store.get(KEY))?.attributes, {}, "the attributes");
    assertEqual((await store.list({ prefix: [], where: { a: 1 } })).items, [], "what has the old attribute");
  }),
  versions("refuses the second of two writers that saw the same version", async ({ store }) => {
    const seen = await store.put(KEY, text("base"));
    const won = await store.put(KEY, text("first"), { ifVersion: seen });
    const { details } = await assertFails(
      store.put(KEY, text("second"), { ifVersion: seen }),
      "conflict",
      "the second",
    );
    assertEqual([details.expected, details.found], [seen, won], "what was expected and found");
    assertIncludes(details.resource, "thread", "the resource");
    assertEqual(textOf(await store.get(KEY)), "first", "the record");
  }),
  versions("creates a record only where there is none when ifVersion is null", async ({ store }) => {
    const version = await store.put(KEY, text("first"), { ifVersion: null });
    const again = store.put(KEY, text("second"), { ifVersion: null });
    const { details } = await assertFails(again, "conflict", "creating it again");
    assertEqual([details.expected, details.found], [null, version], "what was expected and found");
    assertEqual(textOf(await store.get(KEY)), "first", "the record");
  }),
  versions("refuses to replace a record that is not there, or no longer", async ({ store }) => {
    const version = await store.put(KEY, text("first"));
    const none = await assertFails(store.put(["none"], text("x"), { ifVersion: version }), "conflict", "a new key");
    assertEqual(none.details.found, null, "what was found");
    await store.delete(KEY);
    await assertFails(store.put(KEY, text("x"), { ifVersion: version }), "conflict", "a key that was deleted");
    assertEqual((await store.list({ prefix: [] })).items, [], "what was written");
  }),
  versions("deletes only the version that was named, and says whether there was a record", async ({ store }) => {
    assertEqual(await store.delete(KEY), false, "deleting nothing");
    const old = await store.put(KEY, text("old"));
    const current = await store.put(KEY, text("current"));
    const { details } = await assertFails(store.delete(KEY, { ifVersion: old }), "conflict", "deleting an old version");
    assertEqual([details.expected, details.found], [old, current], "what was expected and found");
    assertEqual(await store.delete(KEY, { ifVersion: current }), true, "deleting the version that is there");
    assertEqual(await store.get(KEY), undefined, "the record");
    const gone = await assertFails(store.delete(KEY, { ifVersion: current }), "conflict", "deleting it again");
    assertEqual(gone.details.found, null, "what was found");
  }),
  races("lets exactly one of many win that write over the same version at once", async ({ store }) => {
    const seen = await store.put(KEY, text("base"));
    const outcomes = await atOnce(20, (index) => store.put(KEY, text(String(index)), { ifVersion: seen }));
    assertEqual(countOutcomes(outcomes), { done: 1, conflict: 19 }, "what came of them");
    const winner = outcomes.findIndex((outcome) => typeof outcome === "string");
    assertEqual(textOf(await store.get(KEY)), String(winner), "the record");
  }),
  races("lets exactly one of many create a record at once", async ({ store }) => {
    const outcomes = await atOnce(20, (index) => store.put(KEY, text(String(index)), { ifVersion: null }));
    assertEqual(countOutcomes(outcomes), { done: 1, conflict: 19 }, "what came of them");
  }),
  races("tells exactly one of many that it took the record away", async ({ store }) => {
    await store.put(KEY, text("x"));
    const outcomes = await atOnce(10, () => store.delete(KEY));
    assertEqual(
      outcomes.filter((outcome) => outcome !== false),
      [true],
      "those that were told so",
    );
  }),
  races("loses no change of those who read, write over what they read, and try again", async ({ store }) => {
    await store.put(KEY, json(0));
    const failed = (await atOnce(8, () => countUp(store, 5))).filter((outcome) => outcome !== undefined);
    assertEqual(countOutcomes(failed), {}, "what failed");
    assertEqual((await store.get(KEY))?.value, json(40), "the count");
  }),
  races("shows readers one write or another, whole, while many write at once", async ({ store }) => {
    const long = (index: number): string => String(index).repeat(10_000);
    await store.put(KEY, text(long(9)));
    const writing = atOnce(9, (index) => store.put(KEY, text(long(index)), { attributes: { index } }));
    const seen = await atOnce(9, async () => {
      const record = await store.get(KEY);
      return [textOf(record) ?? "nothing", record?.attributes.index ?? 9, record?.version] as const;
    });
    const wrote = (await writing).filter((outcome): outcome is StoreVersion => typeof outcome === "string");
    assertEqual(wrote.length, 9, "how many writes were done");
    for (const one of [...seen, await readPair(store)]) {
      assert(!(one instanceof Error), `a read failed: ${String(one)}`);
      assert(one[0] === long(Number(one[1])), `a text and attributes of different writes: ${one[1]}`);
      if (one[1] !== 9) assertEqual(one[2], wrote[Number(one[1])], `the version of write ${one[1]}`);
    }
  }),
];

async function readPair(store: Store): Promise<readonly [string, unknown, StoreVersion | undefined]> {
  const record = await store.get(KEY);
  return [textOf(record) ?? "nothing", record?.attributes.index, record?.version];
}

/** Adds one so many times, each time anew when somebody was faster. */
async function countUp(store: Store, times: number): Promise<undefined> {
  for (let done = 0; done < times; ) {
    const record = await store.get(KEY);
    const count = record?.value.type === "json" ? Number(record.value.value) : Number.NaN;
    const outcome = await store.put(KEY, json(count + 1), { ifVersion: record?.version ?? null }).catch(toError);
    if (typeof outcome === "string") done += 1;
    else if ((outcome as { readonly code?: string }).code !== "conflict") throw outcome;
  }
}

function toError(error: unknown): unknown {
  return error;
}
