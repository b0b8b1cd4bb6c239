import { assert, assertEqual, assertFails } from "../assert.js";
import type { Check } from "../check.js";
import { atOnce, countOutcomes } from "../store/suite.js";
import type { CheckpointStoreUnderTest } from "./subject.js";
import { appendAll, idsOf, left, line, row, THREAD, tasksOf, topic } from "./suite.js";

const races = topic("several writers");

/** After so long at most nobody writes by what a thread was before it was deleted, ms. */
const SEEN_BY_ALL_MS = 100;

/** What every `CheckpointStore` promises when several write at once. */
export const raceChecks: readonly Check<CheckpointStoreUnderTest>[] = [
  races("lets exactly one of many win that append on the same head at once", async ({ checkpoints }) => {
    await appendAll(checkpoints, line(1));
    for (let round = 0; round < 5; round++) {
      const expectedHead = (await checkpoints.load(THREAD))?.headId as string;
      const outcomes = await atOnce(20, (at) =>
        checkpoints.append(row(`r${round}-${at}`, expectedHead, { baseId: "c0" }), { expectedHead }),
      );
      assertEqual(countOutcomes(outcomes), { done: 1, conflict: 19 }, `round ${round}`);
      const winner = outcomes.findIndex((outcome) => !(outcome instanceof Error));
      assertEqual((await checkpoints.load(THREAD))?.headId, `r${round}-${winner}`, `the head after round ${round}`);
    }
    assertEqual(idsOf(await checkpoints.load(THREAD))?.length, 6, "how many rows there are");
  }),
  races("keeps what each of many tasks leaves at once", async ({ checkpoints }) => {
    await appendAll(checkpoints, line(1));
    const outcomes = await atOnce(200, (at) => checkpoints.putWrites(left("c0", `task ${at}`, { writes: [at] })));
    assertEqual(countOutcomes(outcomes), { done: 200 }, "what came of it");
    const kept = tasksOf(await checkpoints.load(THREAD));
    for (let at = 0; at < 200; at++) assertEqual(kept[`task ${at}`], { writes: [at] }, `task ${at}`);
  }),
  races("keeps the writes of one when a task was run twice at once", async ({ checkpoints }) => {
    await appendAll(checkpoints, line(1));
    const outcomes = await atOnce(10, (at) => checkpoints.putWrites(left("c0", "a", { writes: [at % 2] })));
    assertEqual(countOutcomes(outcomes), { done: 5, conflict: 5 }, "what came of it");
    const [kept] = ((await checkpoints.load(THREAD))?.tasks ?? []).map(({ writes }) => writes?.[0]);
    for (const [at, outcome] of outcomes.entries())
      assertEqual(outcome instanceof Error, at % 2 !== kept, `whether call ${at} was refused`);
  }),
  races("refuses an owner whose number is not the newest, and whoever has none", async ({ checkpoints }) => {
    await appendAll(checkpoints, line(1));
    await checkpoints.claim(THREAD, 3);
    await checkpoints.claim(THREAD, 3);
    await assertFails(checkpoints.claim(THREAD, 2), "conflict", "a claim with a lower number");
    await assertFails(checkpoints.append(row("x", "c0"), { expectedHead: "c0" }), "conflict", "a row without a number");
    await assertFails(
      checkpoints.append(row("x", "c0"), { expectedHead: "c0", fence: 2 }),
      "conflict",
      "a row with a lower number",
    );
    await assertFails(checkpoints.putWrites(left("c0", "a", { writes: [] })), "conflict", "writes without a number");
    await checkpoints.putWrites(left("c0", "a", { writes: [1] }), { fence: 3 });
    await checkpoints.append(row("c1", "c0"), { expectedHead: "c0", fence: 3 });
    await checkpoints.claim(THREAD, 4);
    const stale = checkpoints.append(row("c2", "c1"), { expectedHead: "c1", fence: 3 });
    await assertFails(stale, "conflict", "a row of the owner before");
    const staleWrites = checkpoints.putWrites(left("c1", "a", { writes: [] }), { fence: 3 });
    await assertFails(staleWrites, "conflict", "writes of the owner before");
    assertEqual(idsOf(await checkpoints.load(THREAD)), ["c0", "c1"], "the rows");
    assertEqual((await checkpoints.load(THREAD))?.tasks, [], "what tasks left");
    await assertFails(checkpoints.claim(THREAD, 0), "invalid_request", "a claim with number 0");
  }),
  races("lets a lineage be claimed before its first checkpoint", async ({ checkpoints }) => {
    await checkpoints.claim(THREAD, 1);
    assertEqual([await checkpoints.load(THREAD), await checkpoints.list(THREAD)], [undefined, []], "what is there");
    await assertFails(
      checkpoints.append(row("c0", null), { expectedHead: null }),
      "conflict",
      "a row without a number",
    );
    await checkpoints.append(row("c0", null), { expectedHead: null, fence: 1 });
    assertEqual(idsOf(await checkpoints.load(THREAD)), ["c0"], "the rows");
  }),
  races(
    "lets exactly one of several stores on a place win, and shows all what it wrote",
    async ({ checkpoints, open }) => {
      await appendAll(checkpoints, line(1));
      const stores = [checkpoints, (await open()).checkpoints, (await open()).checkpoints];
      for (let round = 1; round <= 5; round++) {
        const expectedHead = round === 1 ? "c0" : ((await checkpoints.load(THREAD))?.headId as string);
        const outcomes = await atOnce(stores.length, async (at) => {
          const store = stores[at] ?? checkpoints;
          await store.putWrites(left(expectedHead, `by ${at}`, { writes: [at] }));
          await store.append(row(`r${round}-${at}`, expectedHead, { baseId: "c0" }), { expectedHead });
        });
        assertEqual(countOutcomes(outcomes), { done: 1, conflict: 2 }, `round ${round}`);
        const heads = await Promise.all(stores.map(async (store) => (await store.load(THREAD))?.headId));
        assert(new Set(heads).size === 1, `after round ${round} the stores see other heads: ${heads.join(", ")}`);
      }
    },
    { needs: ["multiProcess"] },
  ),
  races(
    "goes on from what another store wrote, and refuses only what stands against that",
    async ({ checkpoints, open }) => {
      const { checkpoints: other } = await open();
      await appendAll(checkpoints, line(1));
      await other.append(row("c1", "c0"), { expectedHead: "c0" });
      await checkpoints.putWrites(left("c1", "a", { writes: [1] }));
      await other.putWrites(left("c1", "a", { writes: [1] }));
      await other.append(row("c2", "c1"), { expectedHead: "c1" });
      await other.claim(THREAD, 2);
      await checkpoints.append(row("c3", "c2"), { expectedHead: "c2", fence: 2 });
      await other.append(row("c4", "c3"), { expectedHead: "c3", fence: 2 });
      assertEqual(idsOf(await checkpoints.load(THREAD)), ["c0", "c1", "c2", "c3", "c4"], "the rows");
    },
    { needs: ["multiProcess"] },
  ),
  races(
    "takes a thread that another store deleted and began anew for what it is now",
    async ({ checkpoints, open, pass }) => {
      const { checkpoints: other } = await open();
      await appendAll(checkpoints, line(1));
      await other.deleteThread("t");
      await other.append(row("n0", null), { expectedHead: null });
      await pass(SEEN_BY_ALL_MS);
      await assertFails(
        checkpoints.putWrites(left("c0", "a", { writes: [1] })),
        "conflict",
        "writes after the old head",
      );
      await assertFails(
        checkpoints.append(row("c1", "c0"), { expectedHead: "c0" }),
        "conflict",
        "a row after the old head",
      );
      await checkpoints.append(row("n1", "n0", { baseId: "n0" }), { expectedHead: "n0" });
      const chain = await other.load(THREAD);
      assertEqual([idsOf(chain), chain?.tasks], [["n0", "n1"], []], "what is there");
    },
    { needs: ["multiProcess"] },
  ),
];
