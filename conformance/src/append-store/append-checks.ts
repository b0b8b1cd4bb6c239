import type { JsonValue } from "@tinyagents/core";
import { assert, assertEqual, assertFails, assertIncludes } from "../assert.js";
import type { Check } from "../check.js";
import { DELICATE_JSON, DELICATE_TEXTS, nested, notJson } from "../store/hostile.js";
import type { AppendStoreUnderTest } from "./subject.js";
import { numbers, offsetsOf, topic, valuesOf } from "./suite.js";

const values = topic("values");
const appending = topic("appending");

/** What becomes of values, and on what terms they are added. */
export const appendChecks: readonly Check<AppendStoreUnderTest>[] = [
  values("gives back every value with its exact content", async ({ log }) => {
    const delicate = [...DELICATE_JSON, ...DELICATE_TEXTS];
    await log.append("s", delicate);
    for (const [index, value] of (await valuesOf(log, "s")).entries()) {
      assertEqual(JSON.stringify(value), JSON.stringify(delicate[index]), `value ${index}`);
    }
    assertEqual(await log.head("s"), delicate.length, "the head");
  }),
  values("gives back large and deep values, and refuses those of more than 256 levels", async ({ log }) => {
    const long = "0123456789 \u{1F600} ".repeat(70_000);
    await log.append("s", [long, nested(255)]);
    const [first, second] = await valuesOf(log, "s");
    assert(first === long, "a text of a million characters came back changed");
    assertEqual(second, nested(255), "the deep value");
    await assertFails(log.append("s", [nested(257)]), "invalid_request", "a value of 257 levels");
  }),
  values("gives back values of several MB exactly, and small ones beside them, in one page", async ({ log }) => {
    const many = Array.from({ length: 60_000 }, (_, index) => ({ index, text: `item ${index} \u0000 "\u{1F600}"` }));
    const large = ["small", "\u00e9\u2028\ud83d 0123456789 ".repeat(200_000), 1, many, null];
    assertEqual(await log.append("s", large), 0, "the offset of the large append");
    assertEqual(await log.append("s", ["after"]), large.length, "the offset of the one after it");
    const wanted = [...large, "after"].map((value, offset) => ({ offset, value }));
    for (const order of ["ascending", "descending"] as const) {
      const found = await log.read("s", { order, limit: wanted.length });
      assertEqual(found.length, wanted.length, `how many records a page has, ${order}`);
      for (const [at, record] of (order === "ascending" ? wanted : wanted.toReversed()).entries())
        assert(JSON.stringify(found[at]) === JSON.stringify(record), `record ${record.offset} came back changed`);
    }
  }),
  values("keeps the order of the keys in JSON, -0 as 0, and a key named __proto__ as a key", async ({ log }) => {
    const value = JSON.parse('{"z":1,"__proto__":{"admin":true},"a":{"y":1,"b":2}}') as JsonValue;
    await log.append("s", [value, { n: -0 }]);
    const [found, zero] = await valuesOf(log, "s");
    assertEqual(JSON.stringify(found), JSON.stringify(value), "the JSON text");
    assertEqual((found as { readonly admin?: unknown }).admin, undefined, "what the value inherits");
    assertEqual(zero, { n: 0 }, "what was -0");
  }),
  values("copies values on their way in and out", async ({ log }) => {
    const value = { list: [1] };
    const append = log.append("s", [value], { idempotencyKey: "k" });
    value.list.push(2);
    await append;
    for (const record of await log.read("s")) (record.value as unknown as { list: number[] }).list.push(3);
    assertEqual(await valuesOf(log, "s"), [{ list: [1] }], "the values");
    assertEqual(await log.append("s", [{ list: [1] }], { idempotencyKey: "k" }), 0, "the same append again");
  }),
  values("adds all values of an append or none, and names what is not JSON", async ({ log }) => {
    for (const [value, path] of notJson()) {
      const append = log.append("s", ["a", value as JsonValue]);
      const { message } = await assertFails(append, "invalid_request", `values[1]${path}`);
      assertIncludes(message, `values[1]${path}`, "the message");
    }
    assertEqual(await log.head("s"), 0, "the head");
    assertEqual(await log.streams(), [], "the streams");
  }),
  appending("numbers records from 0 and gives the offset of the first that was added", async ({ log }) => {
    assertEqual(await log.head("s"), 0, "the head at first");
    assertEqual(await log.append("s", ["a", "b"]), 0, "the first offset");
    assertEqual(await log.append("s", ["c"]), 2, "the next offset");
    assertEqual(await log.append("other", ["x"]), 0, "the first offset of another stream");
    assertEqual(await log.head("s"), 3, "the head");
    const records = ["a", "b", "c"].map((value, offset) => ({ offset, value }));
    assertEqual(await log.read("s"), records, "the records");
  }),
  appending("keeps 1,000 values of one append in the order they were given", async ({ log }) => {
    assertEqual(await log.append("s", numbers(0, 1_000)), 0, "the first offset");
    assertEqual(await valuesOf(log, "s"), numbers(0, 1_000), "the values");
    assertEqual(await offsetsOf(log, "s"), numbers(0, 1_000), "the offsets");
  }),
  appending("refuses an append of nothing and a stream without a name", async ({ log }) => {
    await assertFails(log.append("s", []), "invalid_request", "no values");
    await assertFails(log.append("s", "ab" as never), "invalid_request", "values that are no list");
    for (const name of ["", 1 as never]) {
      await assertFails(log.append(name, ["a"]), "invalid_request", "appending");
      await assertFails(log.read(name), "invalid_request", "reading");
      await assertFails(log.head(name), "invalid_request", "its head");
      await assertFails(log.truncate(name, { before: 1 }), "invalid_request", "truncating");
      await assertFails(log.delete(name), "invalid_request", "deleting");
    }
    assertEqual(await log.streams(), [], "the streams");
  }),
  appending("refuses an append whose expected offset is not the head", async ({ log }) => {
    await log.append("s", ["first"], { expectedOffset: 0 });
    const stale = log.append("s", ["second"], { expectedOffset: 0 });
    const { details } = await assertFails(stale, "conflict", "an offset that is taken");
    assertEqual([details.expected, details.found], [0, 1], "what was expected and found");
    assertIncludes(details.resource, "s", "the resource");
    await assertFails(log.append("s", ["second"], { expectedOffset: 2 }), "conflict", "an offset too far");
    assertEqual(await log.append("s", ["second"], { expectedOffset: 1 }), 1, "the offset that is the head");
    assertEqual(await valuesOf(log, "s"), ["first", "second"], "the values");
  }),
  appending("refuses an expected offset and a key that cannot be", async ({ log }) => {
    for (const expectedOffset of [-1, 0.5, Number.NaN, "0" as never]) {
      await assertFails(log.append("s", ["a"], { expectedOffset }), "invalid_request", `offset ${expectedOffset}`);
    }
    for (const idempotencyKey of ["", 5 as never]) {
      await assertFails(log.append("s", ["a"], { idempotencyKey }), "invalid_request", `key ${idempotencyKey}`);
    }
    assertEqual(await log.head("s"), 0, "the head");
  }),
  appending("adds nothing when an append is repeated under its key, though the head has moved on", async ({ log }) => {
    const once = { expectedOffset: 0, idempotencyKey: "k" };
    assertEqual(await log.append("s", [{ a: 1, b: 2 }, "x"], once), 0, "the first time");
    await log.append("s", ["later"]);
    assertEqual(await log.append("s", [{ b: 2, a: 1 }, "x"], once), 0, "the second time");
    assertEqual(await log.head("s"), 3, "the head");
    assertEqual(await log.append("other", ["x"], { idempotencyKey: "k" }), 0, "the key in another stream");
    assertEqual(await log.head("other"), 1, "the head of the other stream");
  }),
  appending("refuses other values under a key that was used", async ({ log }) => {
    await log.append("s", ["a"], { idempotencyKey: "__proto__" });
    for (const other of [["b"], ["a", "b"]]) {
      await assertFails(log.append("s", other, { idempotencyKey: "__proto__" }), "invalid_request", "other values");
    }
    assertEqual(await valuesOf(log, "s"), ["a"], "the values");
  }),
  appending("tells where what was appended under a key begins", async ({ log }) => {
    assertEqual(await log.offsetOf("s", "k"), undefined, "in a stream that nobody has written");
    await log.append("s", ["a"]);
    await log.append("s", ["b", "c"], { idempotencyKey: "k" });
    await log.append("s", ["d"], { idempotencyKey: "__proto__" });
    await log.append("s", ["b", "c"], { idempotencyKey: "k" });
    await log.append("other", ["x"], { idempotencyKey: "of the other" });
    assertEqual(await log.offsetOf("s", "k"), 1, "two values under a key");
    assertEqual(await log.offsetOf("s", "__proto__"), 3, "one value under a key");
    for (const key of ["K", "k ", "constructor", "of the other"])
      assertEqual(await log.offsetOf("s", key), undefined, `a key that nobody used: ${key}`);
    await log.truncate("s", { before: 3 });
    assertEqual(await log.offsetOf("s", "k"), 1, "a key whose values were dropped");
    await log.delete("s");
    assertEqual(await log.offsetOf("s", "k"), undefined, "a key of a stream that was deleted");
    await assertFails(log.offsetOf("s", ""), "invalid_request", "no key");
    await assertFails(log.offsetOf("s", 5 as never), "invalid_request", "a key that is no text");
    await assertFails(log.offsetOf("", "k"), "invalid_request", "no stream");
  }),
  appending("does not remember the key of an append that failed", async ({ log }) => {
    await assertFails(log.append("s", ["a"], { idempotencyKey: "k", expectedOffset: 5 }), "conflict", "too far");
    assertEqual(await log.append("s", ["b"], { idempotencyKey: "k" }), 0, "the first that succeeds");
    assertEqual(await valuesOf(log, "s"), ["b"], "the values");
  }),
];
