import { assert, assertEqual } from "../assert.js";
import { turn } from "../chat-model/in-progress.js";
import type { Check } from "../check.js";
import { atOnce, countOutcomes } from "../store/suite.js";
import type { AppendStoreUnderTest } from "./subject.js";
import { numbers, offsetsOf, topic, valuesOf } from "./suite.js";

/** How often a reader looks while others write. */
const MOST_READS = 100;

const races = topic("races");

/** Many appends at once. */
export const raceChecks: readonly Check<AppendStoreUnderTest>[] = [
  races("gives each of 1,000 appends at once an offset of its own, without a gap", async ({ log }) => {
    const offsets = await atOnce(1_000, (index) => log.append("s", [index]));
    const numbered = offsets.filter((offset): offset is number => typeof offset === "number");
    assertEqual(
      [...numbered].sort((one, other) => one - other),
      numbers(0, 1_000),
      "the offsets",
    );
    for (const { offset, value } of await log.read("s")) {
      assertEqual(numbered[Number(value)], offset, `the offset that was given for the value ${value}`);
    }
    assertEqual(await log.head("s"), 1_000, "the head");
  }),
  races("keeps the values of each append side by side, and in order, when many come at once", async ({ log }) => {
    const offsets = await atOnce(100, (index) =>
      log.append(
        "s",
        [0, 1, 2].map((step) => index * 3 + step),
      ),
    );
    const found = await valuesOf(log, "s");
    assertEqual(found.length, 300, "how many values there are");
    for (const [index, offset] of offsets.entries()) {
      const run = found.slice(Number(offset), Number(offset) + 3);
      assertEqual(run, numbers(index * 3, index * 3 + 3), `the values of append ${index}`);
    }
  }),
  races("lets exactly one of many win that append at the same offset at once", async ({ log }) => {
    await log.append("s", ["base"]);
    const outcomes = await atOnce(20, (index) => log.append("s", [index], { expectedOffset: 1 }));
    assertEqual(countOutcomes(outcomes), { done: 1, conflict: 19 }, "what came of them");
    assertEqual(await valuesOf(log, "s"), ["base", outcomes.indexOf(1)], "the values");
  }),
  races("adds once what many append under the same key at once, and tells all the same offset", async ({ log }) => {
    await log.append("s", ["base"]);
    const outcomes = await atOnce(20, () => log.append("s", ["a", "b"], { idempotencyKey: "k" }));
    assertEqual(outcomes, new Array(20).fill(1), "the offsets");
    assertEqual(await valuesOf(log, "s"), ["base", "a", "b"], "the values");
  }),
  races("shows readers all of an append or nothing, and no record before those in front of it", async ({ log }) => {
    let isDone = false;
    const writing = atOnce(30, (index) => log.append("s", numbers(index * 7, index * 7 + 7))).then(() => {
      isDone = true;
    });
    const seen: (readonly number[])[] = [];
    while (!isDone && seen.length < MOST_READS) {
      seen.push(await offsetsOf(log, "s"));
      await turn();
    }
    await writing;
    for (const offsets of [...seen, await offsetsOf(log, "s")]) {
      assertEqual(offsets, numbers(0, offsets.length), "the offsets that a reader saw");
      assertEqual(offsets.length % 7, 0, "how many records of an unfinished append a reader saw");
    }
  }),
  races(
    "neither repeats nor misses a record when it is read in steps while others append and truncate",
    async ({ log }) => {
      await log.append("s", numbers(0, 20));
      const seen: number[] = [];
      for (let from = 0; from < 20; ) {
        const writing = [log.append("s", ["new"]), log.truncate("s", { before: from })];
        const offsets = await offsetsOf(log, "s", { from, limit: 3 });
        await Promise.all(writing);
        assert(offsets[0] === from, `the first offset read from ${from} is ${offsets[0] ?? "missing"}`);
        seen.push(...offsets);
        from += offsets.length;
      }
      assertEqual(seen, numbers(0, seen.length), "the offsets");
    },
  ),
];
