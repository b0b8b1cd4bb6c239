import type { TaskStore } from "@tinyagents/core";
import { assertEqual, assertFails } from "../assert.js";
import type { Check } from "../check.js";
import { atOnce, countOutcomes } from "../store/suite.js";
import type { TaskStoreUnderTest } from "./subject.js";
import { idsOf, LONG_MS, topic } from "./suite.js";

const races = topic("several workers");
const durability = topic("durability");
const cancellation = topic("cancellation");

/** What every `TaskStore` promises when several use it, when it is opened again, and when a call is not wanted any more. */
export const placeChecks: readonly Check<TaskStoreUnderTest>[] = [
  races("gives a task to exactly one of many that claim it at once", async ({ tasks }) => {
    await tasks.create({ taskId: "t", kind: "k", input: 1 });
    const outcomes = await atOnce(12, (at) => tasks.act("t", { type: "claim", by: `w${at}`, leaseMs: LONG_MS }));
    assertEqual(countOutcomes(outcomes), { done: 1, conflict: 11 }, "what came of it");
    const winner = outcomes.findIndex((outcome) => !(outcome instanceof Error));
    const task = await tasks.get("t");
    assertEqual([task?.lease?.by, task?.claims], [`w${winner}`, 1], "the owner, and how often it was claimed");
  }),
  races("keeps all that is said to a task at once, each once", async ({ tasks }) => {
    await tasks.create({ taskId: "t", kind: "k", input: 1 });
    const said = await atOnce(16, (at) =>
      tasks.act("t", { type: "steer", by: "ada", id: `m${at % 8}`, payload: at % 8 }),
    );
    assertEqual(countOutcomes(said), { done: 16 }, "what came of it");
    const ids = (await tasks.get("t"))?.messages.map(({ id }) => id);
    assertEqual(
      ids?.toSorted(),
      Array.from({ length: 8 }, (_, at) => `m${at}`),
      "the messages",
    );
  }),
  races("creates a task once, however many create it at once", async ({ tasks }) => {
    const same = await atOnce(10, () => tasks.create({ taskId: "t", kind: "k", input: 1 }));
    assertEqual(countOutcomes(same), { done: 10 }, "what came of the same task");
    const other = await atOnce(10, (at) => tasks.create({ taskId: "u", kind: "k", input: at % 2 }));
    assertEqual(countOutcomes(other), { done: 5, conflict: 5 }, "what came of two tasks under one id");
    assertEqual(idsOf(await tasks.list()).toSorted(), ["t", "u"], "the tasks");
  }),
  races(
    "lets exactly one of several stores on a place claim a task, and shows all what was done",
    async ({ tasks, open }) => {
      const stores = [tasks, (await open()).tasks, (await open()).tasks];
      const at = (index: number): TaskStore => stores[index % 3] as TaskStore;
      for (let round = 0; round < 5; round++) {
        const taskId = `t${round}`;
        await at(round).create({ taskId, kind: "k", input: round });
        const claims = await atOnce(9, (by) => at(by).act(taskId, { type: "claim", by: `w${by}`, leaseMs: LONG_MS }));
        assertEqual(countOutcomes(claims), { done: 1, conflict: 8 }, `round ${round}`);
        await at(round + 1).act(taskId, { type: "succeed", fence: 1, result: round });
        for (const store of stores) {
          assertEqual((await store.get(taskId))?.result, round, `the result of round ${round}`);
          const done = idsOf(await store.list({ states: ["succeeded"] }));
          assertEqual(done.length, round + 1, `how many are done after round ${round}`);
        }
      }
    },
    { needs: ["multiProcess"] },
  ),
  durability(
    "still has every task, its owner and what was said to it, when the place is opened again",
    async ({ tasks, reopen }) => {
      await tasks.create({ taskId: "a", kind: "k", input: { deep: [1] }, threadId: "t" });
      await tasks.create({ taskId: "b", kind: "k", input: 1 });
      await tasks.act("a", { type: "claim", by: "w", leaseMs: LONG_MS, runId: "r" });
      await tasks.act("a", { type: "steer", by: "ada", id: "m", payload: "hurry" });
      await tasks.create({ taskId: "c", kind: "k", input: 1 });
      await tasks.act("c", { type: "abort", by: "ada" });
      const before = [await tasks.get("a"), await tasks.list(), await tasks.list({ states: ["pending"] })];
      const { tasks: again } = await reopen();
      const after = [await again.get("a"), await again.list(), await again.list({ states: ["pending"] })];
      assertEqual(after, before, "what is there");
      await assertFails(again.act("a", { type: "claim", by: "x", leaseMs: 1 }), "conflict", "a claim of what is owned");
      const done = await again.act("a", { type: "succeed", fence: 1, result: "done" });
      assertEqual([done.state, done.messages.length], ["succeeded", 1], "the task");
      assertEqual(await again.prune({ endedBeforeMs: 8_000_000_000_000 }), 2, "how many are pruned");
    },
    { needs: ["durable"] },
  ),
  cancellation("does nothing when it is cancelled before", async ({ tasks }) => {
    const options = { signal: AbortSignal.abort() };
    await tasks.create({ taskId: "t", kind: "k", input: 1 });
    await tasks.create({ taskId: "done", kind: "k", input: 1 });
    await tasks.act("done", { type: "abort", by: "ada" });
    const calls: { readonly [what: string]: () => Promise<unknown> } = {
      create: () => tasks.create({ taskId: "u", kind: "k", input: 1 }, options),
      get: () => tasks.get("t", options),
      act: () => tasks.act("t", { type: "abort", by: "ada" }, options),
      list: () => tasks.list({}, options),
      prune: () => tasks.prune({ endedBeforeMs: 8_000_000_000_000 }, options),
    };
    for (const [what, call] of Object.entries(calls)) await assertFails(call(), "cancelled", what);
    const states = (await tasks.list()).items.map(({ taskId, state }) => `${taskId} ${state}`);
    assertEqual(states.toSorted(), ["done aborted", "t pending"], "the tasks");
  }),
];
