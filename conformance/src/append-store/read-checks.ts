import { assert, assertEqual, assertFails, assertIncludes } from "../assert.js";
import type { Check } from "../check.js";
import { HOSTILE_NAMES } from "../store/hostile.js";
import type { AppendStoreUnderTest } from "./subject.js";
import { numbers, offsetsOf, topic, valuesOf } from "./suite.js";

const reading = topic("reading");
const truncating = topic("truncating");
const streams = topic("streams");

/** Ranges, what is dropped, and names. */
export const readChecks: readonly Check<AppendStoreUnderTest>[] = [
  reading("has no records, no head and no name for a stream that nobody has written", async ({ log }) => {
    assertEqual(await log.read("s"), [], "the records");
    assertEqual(await log.read("s", { order: "descending", from: 4 }), [], "the records from the end");
    await log.truncate("s", { before: 3 });
    assertEqual(await log.head("s"), 0, "the head");
    assertEqual(await log.streams(), [], "the streams");
    assertEqual(await log.delete("s"), false, "deleting it");
  }),
  reading("reads ranges forward and backward", async ({ log }) => {
    await log.append("s", numbers(0, 5));
    const offsets = async (range: Parameters<typeof log.read>[1]): Promise<string> =>
      (await offsetsOf(log, "s", range)).join("");
    assertEqual(await offsets({ from: 2 }), "234", "from 2");
    assertEqual(await offsets({ from: 1, limit: 2 }), "12", "two from 1");
    assertEqual(await offsets({ from: 5 }), "", "from the head");
    assertEqual(await offsets({ order: "descending" }), "43210", "backward");
    assertEqual(await offsets({ order: "descending", limit: 2 }), "43", "the last two");
    assertEqual(await offsets({ order: "descending", from: 2 }), "210", "backward from 2");
    assertEqual(await offsets({ order: "descending", from: 99, limit: 1 }), "4", "backward from beyond the head");
    assertEqual(await offsets({ order: "descending", from: 0 }), "0", "backward from 0");
  }),
  reading("reads at most 1,000 records when nobody says how many", async ({ log }) => {
    await log.append("s", numbers(0, 1_001));
    assertEqual(await offsetsOf(log, "s"), numbers(0, 1_000), "the offsets");
    assertEqual(await offsetsOf(log, "s", { from: 1_000 }), [1_000], "the rest");
    assertEqual((await offsetsOf(log, "s", { order: "descending" })).length, 1_000, "how many come backward");
  }),
  reading("refuses ranges that cannot be, and fields that it does not know", async ({ log }) => {
    await log.append("s", ["a"]);
    for (const range of [{ limit: 0 }, { limit: 1.5 }, { from: -1 }, { from: Number.NaN }, { order: "up" as never }]) {
      await assertFails(log.read("s", range), "invalid_request", JSON.stringify(range));
    }
    const unknown = { filter: { type: "b" } } as never;
    const error = await assertFails(log.read("s", unknown), "invalid_request", "a range with the field filter");
    assertIncludes(error.message, "filter", "the message");
  }),
  truncating("drops records before an offset and leaves the others theirs", async ({ log }) => {
    await log.append("s", numbers(0, 4));
    await log.truncate("s", { before: 2 });
    assertEqual(
      await log.read("s"),
      [2, 3].map((offset) => ({ offset, value: offset })),
      "the records",
    );
    assertEqual(await offsetsOf(log, "s", { from: 0, limit: 1 }), [2], "the first from 0");
    assertEqual(await offsetsOf(log, "s", { order: "descending" }), [3, 2], "backward");
    await log.truncate("s", { before: 1 });
    assertEqual(await offsetsOf(log, "s"), [2, 3], "the offsets after a truncate of what is gone");
  }),
  truncating("keeps its head, its name and its keys when all records are dropped", async ({ log }) => {
    await log.append("s", numbers(0, 4), { idempotencyKey: "k" });
    await log.truncate("s", { before: 99 });
    assertEqual(await log.read("s"), [], "the records");
    assertEqual(await log.head("s"), 4, "the head");
    assertEqual(await log.streams(), ["s"], "the streams");
    assertEqual(await log.append("s", numbers(0, 4), { idempotencyKey: "k" }), 0, "the same append again");
    assertEqual(await log.append("s", [4], { expectedOffset: 4 }), 4, "the next offset");
    assertEqual(await valuesOf(log, "s"), [4], "the values");
  }),
  truncating("refuses to truncate before what is no offset", async ({ log }) => {
    await log.append("s", ["a"]);
    for (const before of [-1, 0.5, Number.NaN, undefined as never]) {
      await assertFails(log.truncate("s", { before }), "invalid_request", `before ${before}`);
    }
    assertEqual(await valuesOf(log, "s"), ["a"], "the values");
  }),
  streams("lists streams that start with a text, in code unit order", async ({ log }) => {
    for (const name of ["b", "a/2", "a/10", "A", "a", "\u{1F600}", "\uffee", "a%"]) await log.append(name, [1]);
    assertEqual(await log.streams(), ["A", "a", "a%", "a/10", "a/2", "b", "\u{1F600}", "\uffee"], "all");
    assertEqual(await log.streams(""), await log.streams(), "those that start with nothing");
    assertEqual(await log.streams("a/"), ["a/10", "a/2"], "those that start with a/");
    assertEqual(await log.streams("a%"), ["a%"], "those that start with a%");
    assertEqual(await log.streams("c"), [], "those that start with c");
    await assertFails(log.streams(5 as never), "invalid_request", "a prefix that is no text");
  }),
  streams("lists streams in steps, also while others come and go", async ({ log }) => {
    const names = ["a", "b%", "b/1", "b/2", "b/3", "c"];
    for (const name of names) await log.append(name, [1]);
    assertEqual(await log.streams("", { limit: 4 }), names.slice(0, 4), "the first four");
    assertEqual(await log.streams("", { after: "b/2", limit: 4 }), ["b/3", "c"], "those after b/2");
    assertEqual(await log.streams("b/", { after: "b/1" }), ["b/2", "b/3"], "those after b/1 that start with b/");
    assertEqual(await log.streams("b/", { after: "a" }), ["b/1", "b/2", "b/3"], "those after a that start with b/");
    await log.delete("b/2");
    assertEqual(await log.streams("", { after: "b/2", limit: 1 }), ["b/3"], "the one after b/2, which is gone");
    for (const range of [{ limit: 0 }, { limit: 1.5 }, { after: 5 }, { from: "a" }] as never[])
      await assertFails(log.streams("", range), "invalid_request", `the range ${JSON.stringify(range)}`);
  }),
  streams("forgets a stream that is deleted: its name starts from 0 again and its keys are free", async ({ log }) => {
    await log.append("s", ["a"], { idempotencyKey: "k" });
    await log.append("kept", ["x"]);
    assertEqual(await log.delete("s"), true, "deleting it");
    assertEqual([await log.read("s"), await log.head("s")], [[], 0], "its records and head");
    assertEqual(await log.streams(), ["kept"], "the streams");
    assertEqual(await log.append("s", ["b"], { idempotencyKey: "k", expectedOffset: 0 }), 0, "the first offset anew");
    assertEqual(await valuesOf(log, "s"), ["b"], "the values");
  }),
  streams("takes every hostile name as it is, beside its neighbours", async ({ log }) => {
    for (const name of HOSTILE_NAMES) await log.append(name, [name], { idempotencyKey: name });
    for (const name of HOSTILE_NAMES) {
      assertEqual(await valuesOf(log, name), [name], `the stream ${JSON.stringify(name)}`);
      const starting = HOSTILE_NAMES.filter((other) => other.startsWith(name)).sort();
      assertEqual(await log.streams(name), starting, `what starts with ${JSON.stringify(name)}`);
      assertEqual(await log.append(name, [name], { idempotencyKey: name }), 0, "the same append again");
    }
    for (const [done, name] of HOSTILE_NAMES.entries()) {
      assert(await log.delete(name), `${JSON.stringify(name)} was not there to be deleted`);
      assertEqual((await log.streams()).length, HOSTILE_NAMES.length - done - 1, "how many streams are left");
    }
  }),
];
