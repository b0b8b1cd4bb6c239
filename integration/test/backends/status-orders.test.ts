import { manualClock, type RunState, type RunStatusRecord, type RunStatusStore, type Store } from "@tinyagents/core";
import { runStatusStore } from "@tinyagents/persistence";
import { memoryStore } from "@tinyagents/store-memory";
import { failAt } from "@tinyagents/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { piecewise } from "./piecewise.js";

const STATES: readonly RunState[] = ["accepted", "running", "paused", "completed", "failed", "cancelled"];
const IDS = ["a", "b", "c/d", "__proto__"];
const THREADS = ["t", "t/1", "*"];

type Step =
  | {
      readonly type: "save";
      readonly id: string;
      readonly state: RunState;
      readonly thread: string;
      readonly ms: number;
    }
  | { readonly type: "delete"; readonly id: string };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant("save" as const),
      id: fc.constantFrom(...IDS),
      state: fc.constantFrom(...STATES),
      thread: fc.constantFrom(...THREADS),
      ms: fc.integer({ min: 0, max: 2_000_000_000_000 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("delete" as const), id: fc.constantFrom(...IDS) }) },
);

/** A status to be changed: as the store makes it. */
async function blank(): Promise<RunStatusRecord> {
  return (await runStatusStore(memoryStore()).accept({ runId: "r", component: "c" })).status;
}

async function apply(statuses: RunStatusStore, one: Step, base: RunStatusRecord): Promise<void> {
  if (one.type === "delete") {
    await statuses.delete(one.id);
    return;
  }
  const { id, state, thread, ms } = one;
  const ifVersion = (await statuses.get(id))?.version ?? null;
  const status = { ...base, runId: id, rootRunId: id, threadId: thread, state, startedAtMs: ms };
  await statuses.save(status, { ifVersion });
}

/** All of a listing, in pages of two. */
async function all(statuses: RunStatusStore, query: Parameters<RunStatusStore["list"]>[0]): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await statuses.list({ ...query, limit: 2, cursor });
    ids.push(...page.items.map(({ runId }) => runId));
    cursor = page.cursor;
  } while (cursor !== undefined);
  return ids;
}

/** What each listing must be, by the records that are there. */
async function expectListings(statuses: RunStatusStore): Promise<void> {
  const there: RunStatusRecord[] = [];
  for (const id of IDS) {
    const found = await statuses.get(id);
    if (found !== undefined) there.push(found.status);
  }
  there.sort((one, other) => one.startedAtMs - other.startedAtMs || (one.runId < other.runId ? -1 : 1));
  const idsOf = (wanted: (status: RunStatusRecord) => boolean): string[] =>
    there.filter(wanted).map(({ runId }) => runId);
  expect(await all(statuses, {})).toEqual(idsOf(() => true));
  expect(await all(statuses, { order: "descending" })).toEqual(idsOf(() => true).reverse());
  for (const state of STATES) {
    expect(await all(statuses, { states: [state] })).toEqual(idsOf((status) => status.state === state));
  }
  for (const threadId of THREADS) {
    expect(await all(statuses, { threadId })).toEqual(idsOf((status) => status.threadId === threadId));
  }
}

const base = await blank();

describe("the orders of statuses, whatever is written (PF-03)", () => {
  it.each([
    ["in one piece", (store: Store) => store],
    ["piece by piece", piecewise],
  ])("list what is there and nothing else, where batches are written %s", async (_, made) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const statuses = runStatusStore(made(memoryStore()));
        for (const one of steps) await apply(statuses, one, base);
        await expectListings(statuses);
      }),
      { numRuns: 60 },
    );
  });

  it("list what is there when the process is killed at any write of a batch that is no unit", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 6 }),
        fc.constantFrom("before" as const, "after" as const),
        async (steps, when) => {
          let writes = Number.POSITIVE_INFINITY;
          for (let n = 1; n <= writes; n++) {
            const store = memoryStore();
            const failing = failAt(store, n, { when, stayDown: true });
            const dying = runStatusStore(piecewise(failing.subject));
            for (const one of steps) await apply(dying, one, base).catch(() => {});
            if (!failing.failed) writes = failing.writes;
            await expectListings(runStatusStore(piecewise(store)));
          }
        },
      ),
      { numRuns: 20 },
    );
  });

  it("are cleaned of what a killed process left, once it is old", async () => {
    const clock = manualClock({ startMs: 1_000 });
    const store = memoryStore({ clock });
    const left = async (): Promise<number> => (await store.list({ prefix: ["runs"] })).items.length;
    const dying = runStatusStore(piecewise(failAt(store, 4, { stayDown: true }).subject), { clock });
    await expect(dying.accept({ runId: "r1", component: "c" })).rejects.toMatchObject({ code: "store_failed" });
    expect(await left()).toBe(3);
    const statuses = runStatusStore(piecewise(store), { clock });
    for (const query of [{}, { states: ["accepted"] }, { rootRunId: "r1" }] as const) {
      expect((await statuses.list(query)).items).toEqual([]);
    }
    expect(await left()).toBe(3);
    await clock.advance(60_000);
    for (const query of [{}, { states: ["accepted"] }, { rootRunId: "r1" }] as const) await statuses.list(query);
    expect(await left()).toBe(0);
  });

  it("do not lose a record whose writer was slower than the sweep", async () => {
    const clock = manualClock();
    const store = memoryStore({ clock });
    const reader = runStatusStore(piecewise(store), { clock });
    const inner = piecewise(store);
    let puts = 0;
    const slow: Store = {
      ...inner,
      async batch(operations, options) {
        puts++;
        if (puts > 1) return inner.batch(operations, options);
        const versions = await inner.batch(operations.slice(0, -1), options);
        await clock.advance(90_000);
        await reader.list({});
        return [...versions, ...(await inner.batch(operations.slice(-1), options))];
      },
    };
    await runStatusStore(slow, { clock }).accept({ runId: "r1", component: "c" });
    expect((await reader.list({})).items.map(({ runId }) => runId)).toEqual(["r1"]);
  });
});
