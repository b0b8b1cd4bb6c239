import assert from "node:assert/strict";
import type { AppendStore, JsonValue } from "@tinyagents/core";
import { type Check, failsWith } from "../check.js";
import { HOSTILE_NAMES } from "../store/values.js";

async function valuesOf(log: AppendStore, stream: string): Promise<readonly JsonValue[]> {
  return (await log.read(stream)).map(({ value }) => value);
}

/** What an append store promises. */
export const appendStoreChecks: readonly Check<AppendStore>[] = [
  {
    name: "numbers records from 0 and gives the offset of the first that was added (STO-02)",
    async run(log) {
      assert.equal(await log.head("s"), 0);
      assert.equal(await log.append("s", ["a", "b"]), 0);
      assert.equal(await log.append("s", ["c"]), 2);
      assert.equal(await log.head("s"), 3);
      assert.deepEqual(await log.read("s"), [
        { offset: 0, value: "a" },
        { offset: 1, value: "b" },
        { offset: 2, value: "c" },
      ]);
    },
  },
  {
    name: "has no records, no head and no name for a stream that nobody has written",
    async run(log) {
      assert.deepEqual(await log.read("s"), []);
      assert.deepEqual(await log.read("s", { order: "descending", from: 4 }), []);
      await log.truncate("s", { before: 3 });
      assert.equal(await log.head("s"), 0);
      assert.deepEqual(await log.streams(), []);
      assert.equal(await log.delete("s"), false);
    },
  },
  {
    name: "adds all values of an append or none",
    async run(log) {
      const { message } = await failsWith(log.append("s", ["a", { b: Number.NaN }]), "invalid_request");
      assert.ok(message.startsWith("values[1].b"));
      assert.equal(await log.head("s"), 0);
      assert.deepEqual(await log.streams(), []);
    },
  },
  {
    name: "refuses an append of nothing and a stream without a name",
    async run(log) {
      await failsWith(log.append("s", []), "invalid_request");
      await failsWith(log.append("", ["a"]), "invalid_request");
      await failsWith(log.read(""), "invalid_request");
    },
  },
  {
    name: "refuses an append whose expected offset is not the head",
    async run(log) {
      await log.append("s", ["first"], { expectedOffset: 0 });
      const { details } = await failsWith(log.append("s", ["second"], { expectedOffset: 0 }), "conflict");
      assert.deepEqual([details.expected, details.found], [0, 1]);
      await failsWith(log.append("s", ["second"], { expectedOffset: 2 }), "conflict");
      assert.deepEqual(await valuesOf(log, "s"), ["first"]);
    },
  },
  {
    name: "adds nothing when an append is repeated under its key, though the offset has moved on",
    async run(log) {
      const once = { expectedOffset: 0, idempotencyKey: "k" };
      assert.equal(await log.append("s", [{ a: 1, b: 2 }, "x"], once), 0);
      await log.append("s", ["later"]);
      assert.equal(await log.append("s", [{ b: 2, a: 1 }, "x"], once), 0);
      assert.equal(await log.head("s"), 3);
      assert.equal(await log.append("other", ["x"], { idempotencyKey: "k" }), 0, "keys belong to their stream");
      assert.equal(await log.head("other"), 1);
    },
  },
  {
    name: "refuses other values under a key that was used",
    async run(log) {
      await log.append("s", ["a"], { idempotencyKey: "__proto__" });
      await failsWith(log.append("s", ["b"], { idempotencyKey: "__proto__" }), "invalid_request");
      await failsWith(log.append("s", ["a", "b"], { idempotencyKey: "__proto__" }), "invalid_request");
      assert.deepEqual(await valuesOf(log, "s"), ["a"]);
    },
  },
  {
    name: "does not remember the key of an append that failed",
    async run(log) {
      await failsWith(log.append("s", ["a"], { idempotencyKey: "k", expectedOffset: 5 }), "conflict");
      assert.equal(await log.append("s", ["b"], { idempotencyKey: "k" }), 0);
    },
  },
  {
    name: "reads ranges forward and backward",
    async run(log) {
      await log.append("s", [0, 1, 2, 3, 4]);
      const offsets = async (range: Parameters<AppendStore["read"]>[1]): Promise<string> =>
        (await log.read("s", range)).map(({ offset }) => offset).join("");
      assert.equal(await offsets({ from: 2 }), "234");
      assert.equal(await offsets({ from: 1, limit: 2 }), "12");
      assert.equal(await offsets({ from: 5 }), "");
      assert.equal(await offsets({ order: "descending" }), "43210");
      assert.equal(await offsets({ order: "descending", limit: 2 }), "43");
      assert.equal(await offsets({ order: "descending", from: 2 }), "210");
      assert.equal(await offsets({ order: "descending", from: 99, limit: 1 }), "4");
      assert.equal(await offsets({ order: "descending", from: 0 }), "0");
    },
  },
  {
    name: "reads at most 1,000 records when nobody says how many, and refuses ranges that cannot be",
    async run(log) {
      await log.append("s", new Array<number>(1_001).fill(7));
      assert.equal((await log.read("s")).length, 1_000);
      assert.equal((await log.read("s", { from: 1_000 })).length, 1);
      for (const range of [{ limit: 0 }, { limit: 1.5 }, { from: -1 }, { from: Number.NaN }]) {
        await failsWith(log.read("s", range), "invalid_request");
      }
    },
  },
  {
    name: "drops records before an offset and leaves the others theirs",
    async run(log) {
      await log.append("s", [0, 1, 2, 3], { idempotencyKey: "k" });
      await log.truncate("s", { before: 2 });
      assert.deepEqual(await log.read("s"), [
        { offset: 2, value: 2 },
        { offset: 3, value: 3 },
      ]);
      assert.deepEqual(
        (await log.read("s", { order: "descending" })).map(({ offset }) => offset),
        [3, 2],
      );
      await log.truncate("s", { before: 1 });
      assert.equal((await log.read("s", { from: 0 })).length, 2);
      await log.truncate("s", { before: 99 });
      assert.deepEqual(await log.read("s"), []);
      assert.equal(await log.head("s"), 4);
      assert.equal(await log.append("s", [0, 1, 2, 3], { idempotencyKey: "k" }), 0, "the key is still known");
      assert.equal(await log.append("s", [4]), 4);
      await failsWith(log.truncate("s", { before: -1 }), "invalid_request");
    },
  },
  {
    name: "lists streams that start with a text, in code unit order",
    async run(log) {
      for (const name of ["b", "a/2", "a/10", "A", "a", "\u{1F600}", "\uffee"]) await log.append(name, [1]);
      assert.deepEqual(await log.streams(), ["A", "a", "a/10", "a/2", "b", "\u{1F600}", "\uffee"]);
      assert.deepEqual(await log.streams("a/"), ["a/10", "a/2"]);
      assert.deepEqual(await log.streams("c"), []);
    },
  },
  {
    name: "forgets a stream that is deleted: its name starts from 0 again and its keys are free",
    async run(log) {
      await log.append("s", ["a"], { idempotencyKey: "k" });
      assert.equal(await log.delete("s"), true);
      assert.deepEqual(await log.read("s"), []);
      assert.deepEqual(await log.streams(), []);
      assert.equal(await log.append("s", ["b"], { idempotencyKey: "k", expectedOffset: 0 }), 0);
      assert.deepEqual(await valuesOf(log, "s"), ["b"]);
    },
  },
  {
    name: "takes every hostile stream name literally, beside its neighbours (SE-04, SE-06)",
    async run(log) {
      for (const name of HOSTILE_NAMES) await log.append(name, [name]);
      for (const name of HOSTILE_NAMES) {
        assert.deepEqual(await valuesOf(log, name), [name]);
        assert.deepEqual(await log.streams(name), HOSTILE_NAMES.filter((other) => other.startsWith(name)).sort());
      }
      for (const [done, name] of HOSTILE_NAMES.entries()) {
        assert.equal(await log.delete(name), true);
        assert.equal((await log.streams()).length, HOSTILE_NAMES.length - done - 1);
      }
    },
  },
  {
    name: "copies values on their way in and out",
    async run(log) {
      const value = { list: [1] };
      await log.append("s", [value], { idempotencyKey: "k" });
      value.list.push(2);
      for (const record of await log.read("s")) (record.value as unknown as { list: number[] }).list.push(3);
      assert.deepEqual(await valuesOf(log, "s"), [{ list: [1] }]);
      assert.equal(await log.append("s", [{ list: [1] }], { idempotencyKey: "k" }), 0);
    },
  },
];
