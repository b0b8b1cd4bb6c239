import { assertEqual } from "../assert.js";
import type { Check } from "../check.js";
import { allAtOnce, PROCESSES_MS } from "../process/all-at-once.js";
import type { StoreUnderTest } from "./subject.js";
import { json, topic } from "./suite.js";

const processes = topic("several processes");
const OPTIONS = { needs: ["multiProcess", "processes"], extraMs: PROCESSES_MS } as const;

/** What processes that really are several do to each other's records. */
export const processChecks: readonly Check<StoreUnderTest>[] = [
  processes(
    "lets exactly one of several processes win each key that all want to create",
    async ({ store, others }) => {
      const racers = await others(2);
      const keys = Array.from({ length: 100 }, (_, index) => `key-${index}`);
      const outcomes = (await allAtOnce(racers, "create", { keys })) as readonly (readonly string[])[];
      for (const [index, key] of keys.entries()) {
        const of = outcomes.map((one) => one[index] as string);
        assertEqual(of.toSorted(), ["conflict", "done"], `what came of creating ${key}`);
        assertEqual((await store.get([key]))?.value, json(of.indexOf("done")), `who wrote ${key}`);
      }
    },
    OPTIONS,
  ),
  processes(
    "loses no change of processes that read, write over what they read, and try again",
    async ({ store, others }) => {
      await store.put(["count"], json(0));
      await allAtOnce(await others(2), "count_up", { key: "count", times: 100 });
      assertEqual((await store.get(["count"]))?.value, json(200), "the count");
    },
    OPTIONS,
  ),
  processes(
    "lets several processes write different records at once without a failure",
    async ({ store, others }) => {
      await allAtOnce(await others(3), "write_own", { times: 60 });
      for (const by of ["0", "1", "2"]) {
        const { items } = await store.list({ prefix: [by], where: { by }, limit: 100 });
        assertEqual(items.length, 60, `the records of process ${by}`);
      }
    },
    OPTIONS,
  ),
];
