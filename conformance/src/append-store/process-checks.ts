import type { AppendStore, JsonValue } from "@tinyagents/core";
import { assertEqual } from "../assert.js";
import type { Check } from "../check.js";
import { allAtOnce, PROCESSES_MS } from "../process/all-at-once.js";
import { json } from "../store/suite.js";
import { inTime } from "./in-time.js";
import type { AppendStoreUnderTest, LogNeed } from "./subject.js";
import { numbers, topic } from "./suite.js";

const NEEDS: readonly LogNeed[] = ["multiProcess", "processes"];

const processes = topic("several processes");

/** What processes that really are several do to each other's logs. */
export const processChecks: readonly Check<AppendStoreUnderTest>[] = [
  processes(
    "lets exactly one of several processes win each offset that all want to append at",
    async ({ log, others }) => {
      const racers = await others(2);
      const offsets = numbers(0, 100);
      const outcomes = (await allAtOnce(racers, "append_at", { stream: "s", offsets })) as readonly string[][];
      const values = await allValues(log, "s");
      for (const offset of offsets) {
        const of = outcomes.map((one) => one[offset] as string);
        assertEqual(of.toSorted(), ["conflict", "done"], `what came of appending at ${offset}`);
        assertEqual(values[offset], of.indexOf("done"), `whose value is at ${offset}`);
      }
      assertEqual(await log.head("s"), 100, "the head");
    },
    { needs: NEEDS, extraMs: PROCESSES_MS },
  ),
  processes(
    "keeps what several processes append at once, each append side by side at the offset it was given",
    async ({ log, others }) => {
      const outcomes = (await allAtOnce(await others(3), "append_pairs", { stream: "s", times: 60 })) as number[][];
      const values = await allValues(log, "s");
      for (const [by, offsets] of outcomes.entries()) {
        for (const [n, offset] of offsets.entries()) {
          const pair = [`${by} ${n} first`, `${by} ${n} second`];
          assertEqual(values.slice(offset, offset + 2), pair, `the values of append ${n} of process ${by}`);
        }
      }
      assertEqual(values.length, 360, "how many values there are");
    },
    { needs: NEEDS, extraMs: PROCESSES_MS },
  ),
  processes(
    "adds once what several processes append under one key, and tells all the same offset",
    async ({ log, others }) => {
      const keys = Array.from({ length: 60 }, (_, index) => `key-${index}`);
      const outcomes = (await allAtOnce(await others(2), "append_once", { stream: "s", keys })) as number[][];
      assertEqual(outcomes[1], outcomes[0], "the offsets that the second process was given");
      const values = await allValues(log, "s");
      for (const [index, key] of keys.entries()) {
        const offset = Number(outcomes[0]?.[index]);
        assertEqual(values.slice(offset, offset + 2), [key, "more"], `the values under ${key}`);
      }
      assertEqual(values.length, 120, "how many values there are");
    },
    { needs: NEEDS, extraMs: PROCESSES_MS },
  ),
  processes(
    "lets processes that move one thread, its log and then its record, neither fork it nor lose a move",
    async ({ log, first, others }) => {
      const forks = await allAtOnce(await others(2), "move_thread", { thread: "t", times: 60 });
      assertEqual(forks, [0, 0], "how often the record had changed though the append was done");
      const values = await allValues(log, "t");
      const wanted = [0, 1].flatMap((by) => numbers(0, 60).map((n) => `${by} ${n}`));
      assertEqual(values.toSorted(), wanted.toSorted(), "the moves");
      assertEqual((await first.store?.get(["t"]))?.value, json(120), "the head that the record names");
    },
    { needs: [...NEEDS, "store"], extraMs: PROCESSES_MS },
  ),
  processes(
    "calls back in one process when another has appended",
    async ({ log, others }) => {
      const [one] = await others(1);
      await one?.do("watch", { stream: "s" });
      const called = one?.do("watched", {});
      await log.append("s", ["x"]);
      await inTime(Promise.resolve(called), "the call back after an append");
    },
    { needs: ["follow", ...NEEDS], extraMs: PROCESSES_MS },
  ),
];

async function allValues(log: AppendStore, stream: string): Promise<readonly JsonValue[]> {
  return (await log.read(stream)).map(({ value }) => value);
}
