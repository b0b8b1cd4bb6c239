import type { StoreOperation } from "@tinyagents/core";
import { assertEqual, assertFails } from "../assert.js";
import type { Check } from "../check.js";
import type { StoreSituation, StoreUnderTest } from "./subject.js";
import { atOnce, countOutcomes, json, text, textOf, topic } from "./suite.js";

const batches = topic("batches");

const write = (name: string, content: string): StoreOperation => ({ type: "put", key: [name], value: text(content) });
const STALE: StoreOperation = { type: "put", key: ["other"], value: text("x"), options: { ifVersion: "no such" } };

async function textsIn({ store }: StoreSituation): Promise<readonly (string | undefined)[]> {
  return (await store.list({ prefix: [] })).items.map(textOf);
}

/** Without atomic batches, what failed is still told, and what comes after it is not done. */
async function stopsAtConflict(situation: StoreSituation): Promise<void> {
  const batch = situation.store.batch([write("a", "before"), STALE, write("b", "after")]);
  await assertFails(batch, "conflict", "a batch with a condition that does not hold");
  assertEqual(await textsIn(situation), ["before"], "what was done of it");
}

/** Several writes at once. */
export const batchChecks: readonly Check<StoreUnderTest>[] = [
  batches(
    "does a batch in order, each write seeing those before it, and gives the versions of its puts",
    async (on) => {
      const { store } = on;
      await store.put(["old"], text("old"));
      const versions = await store.batch([
        write("a", "1"),
        { type: "delete", key: ["old"] },
        { type: "put", key: ["old"], value: text("new"), options: { ifVersion: null, attributes: { a: 1 } } },
        { type: "delete", key: ["a"] },
        { type: "delete", key: ["never"] },
      ]);
      assertEqual(await textsIn(on), ["new"], "what is there");
      const record = await store.get(["old"]);
      assertEqual(record?.attributes, { a: 1 }, "the attributes");
      assertEqual(versions.length, 5, "how many versions were given");
      assertEqual([...versions].slice(1), [undefined, record?.version, undefined, undefined], "the versions");
      assertEqual(typeof versions[0], "string", "the version of the first put");
      assertEqual(await store.batch([]), [], "the versions of nothing");
    },
  ),
  batches("checks a batch whole before it does any of it", async (on) => {
    const bad: readonly unknown[] = [
      { type: "put", key: ["other"], value: json(Number.NaN) },
      { type: "put", key: [], value: text("x") },
      { type: "delete", key: [""] },
      { type: "patch", key: ["other"] },
      undefined,
    ];
    for (const operation of bad) {
      const batch = on.store.batch([write("new", "x"), operation as StoreOperation]);
      await assertFails(batch, "invalid_request", `the operation ${JSON.stringify(operation)}`);
    }
    await assertFails(on.store.batch(undefined as never), "invalid_request", "a batch that is no list");
    assertEqual(await textsIn(on), [], "what was done");
  }),
  batches(
    "does nothing of a batch in which one condition fails",
    async (on) => {
      await on.store.put(["kept"], text("kept"));
      const takeAway: StoreOperation = { type: "delete", key: ["kept"] };
      await assertFails(on.store.batch([write("new", "x"), takeAway, STALE]), "conflict", "a stale version");
      const twice = { ...write("new", "y"), options: { ifVersion: null } } as StoreOperation;
      await assertFails(on.store.batch([write("new", "x"), takeAway, twice]), "conflict", "creating what it created");
      const gone: StoreOperation = { type: "delete", key: ["never"], options: { ifVersion: "x" } };
      await assertFails(on.store.batch([takeAway, gone]), "conflict", "deleting what is not there");
      assertEqual(await textsIn(on), ["kept"], "what is there");
    },
    { needs: ["atomicBatch"], lacking: stopsAtConflict },
  ),
  batches(
    "does one of many batches that want the same record at once, and that one whole",
    async (on) => {
      const outcomes = await atOnce(10, (index) => {
        const claim = { ...write("claim", String(index)), options: { ifVersion: null } } as StoreOperation;
        return on.store.batch([write(`mine-${index}`, String(index)), claim]);
      });
      assertEqual(countOutcomes(outcomes), { done: 1, conflict: 9 }, "what came of them");
      const winner = String(outcomes.findIndex((outcome) => !(outcome instanceof Error)));
      assertEqual(await textsIn(on), [winner, winner], "what is there");
    },
    { needs: ["atomicBatch"] },
  ),
];
