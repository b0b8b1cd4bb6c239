import { assert, assertEqual } from "../assert.js";
import type { Check } from "../check.js";
import { DELICATE_TEXTS } from "../store/hostile.js";
import type { TaskStoreUnderTest } from "./subject.js";
import { createAll, idsOf, LONG_MS, topic } from "./suite.js";

const lists = topic("lists");
const pruning = topic("pruning");

/** Later than anything happens, ms since 1970. */
const LATER = 8_000_000_000_000;

/** What every `TaskStore` promises of the tasks that it finds, and takes away. */
export const listChecks: readonly Check<TaskStoreUnderTest>[] = [
  lists("lists tasks of a thread, of a tree, of a kind, in a state, by when they were created", async (situation) => {
    const { tasks } = situation;
    await createAll(situation, [
      { taskId: "d", threadId: "t1", rootRunId: "r1" },
      { taskId: "a", threadId: "t1", kind: "other" },
      { taskId: "c", threadId: "t2", rootRunId: "r1" },
      { taskId: "b" },
    ]);
    await tasks.act("c", { type: "claim", by: "w", leaseMs: LONG_MS });
    assertEqual(idsOf(await tasks.list()), ["d", "a", "c", "b"], "all");
    assertEqual(idsOf(await tasks.list({ order: "descending" })), ["b", "c", "a", "d"], "all, the newest first");
    assertEqual(idsOf(await tasks.list({ threadId: "t1" })), ["d", "a"], "those of a thread");
    assertEqual(idsOf(await tasks.list({ rootRunId: "r1" })), ["d", "c"], "those of a tree");
    const free = await tasks.list({ rootRunId: "r1", states: ["pending", "waiting"] });
    assertEqual(idsOf(free), ["d"], "those of a tree in two states");
    assertEqual(idsOf(await tasks.list({ states: ["pending"] })), ["d", "a", "b"], "those in a state");
    assertEqual(idsOf(await tasks.list({ kind: "k", states: ["pending"] })), ["d", "b"], "those of a kind");
    assertEqual(idsOf(await tasks.list({ kind: "k", states: ["running"] })), ["c"], "those that somebody does");
  }),
  lists("lists a task in the state that it has, and in no other", async ({ tasks }) => {
    await tasks.create({ taskId: "t", kind: "k", input: 1 });
    const steps = [
      [{ type: "claim", by: "w", leaseMs: LONG_MS }, "running"],
      [{ type: "wait", fence: 1, question: "?" }, "waiting"],
      [{ type: "answer", by: "a", answer: "!" }, "pending"],
      [{ type: "claim", by: "w", leaseMs: LONG_MS }, "running"],
      [{ type: "cancel", by: "a" }, "cancelling"],
      [{ type: "release", fence: 2 }, "cancelled"],
    ] as const;
    for (const [action, state] of steps) {
      const task = await tasks.act("t", action);
      for (const one of ["pending", "running", "waiting", "cancelling", "cancelled"] as const) {
        const wanted = one === state ? [task] : [];
        assertEqual((await tasks.list({ states: [one] })).items, wanted, `${one} ones after ${action.type}`);
        assertEqual((await tasks.list({ kind: "k", states: [one] })).items, wanted, `${one} ones of the kind`);
      }
    }
  }),
  lists("lists each task once in pages, also while others come and go", async (situation) => {
    const { tasks } = situation;
    const ids = Array.from({ length: 9 }, (_, at) => `t${at}`);
    await createAll(
      situation,
      ids.map((taskId) => ({ taskId })),
    );
    const seen: string[] = [];
    let cursor: string | undefined;
    for (let pages = 0; pages < 10; pages++) {
      const page = await tasks.list({ states: ["pending"], limit: 2, cursor });
      assert(page.items.length <= 2, `a page of at most 2 has ${page.items.length}`);
      seen.push(...idsOf(page));
      cursor = page.cursor;
      if (cursor === undefined) break;
      if (pages === 0) await tasks.act("t0", { type: "claim", by: "w", leaseMs: LONG_MS });
      if (pages === 1) await createAll(situation, [{ taskId: "late" }]);
    }
    assertEqual(cursor, undefined, "the cursor after the last page");
    assertEqual(seen.slice(0, 9), ids, "the tasks");
    assert(new Set(seen).size === seen.length, `a task is listed twice: ${seen.join(", ")}`);
  }),
  lists("takes every hostile id as it is", async ({ tasks }) => {
    const ids = [
      ...DELICATE_TEXTS.filter((text) => text !== ""),
      "t",
      "t/1",
      "*",
      "%",
      "constructor",
      "' OR 1=1",
      "$gt",
    ];
    const names = [...new Set(ids)];
    for (const id of names) await tasks.create({ taskId: id, kind: id, input: id, threadId: id, rootRunId: id });
    for (const id of names) {
      const shown = JSON.stringify(id);
      assertEqual((await tasks.get(id))?.input, id, `the task ${shown}`);
      assertEqual(idsOf(await tasks.list({ threadId: id })), [id], `the thread ${shown}`);
      assertEqual(idsOf(await tasks.list({ rootRunId: id })), [id], `the tree ${shown}`);
      assertEqual(idsOf(await tasks.list({ kind: id, states: ["pending"] })), [id], `the kind ${shown}`);
    }
  }),
  pruning("takes finished tasks away, the oldest ends first, and no others", async (situation) => {
    const { tasks, pass } = situation;
    const ids = ["a", "b", "c", "d", "open"];
    await createAll(
      situation,
      ids.map((taskId) => ({ taskId, threadId: "t" })),
    );
    for (const taskId of ["c", "a", "d", "b"]) {
      await tasks.act(taskId, { type: "abort", by: "ada" });
      await pass(2);
    }
    const third = (await tasks.get("d"))?.endedAtMs as number;
    assertEqual(await tasks.prune({ endedBeforeMs: third, limit: 1 }), 1, "how many of at most one go");
    assertEqual(idsOf(await tasks.list({ threadId: "t" })), ["a", "b", "d", "open"], "what is left");
    assertEqual(await tasks.prune({ endedBeforeMs: third }), 1, "how many more ended before a time");
    assertEqual(idsOf(await tasks.list({ states: ["aborted"] })), ["b", "d"], "the finished ones that are left");
    assertEqual(await tasks.get("c"), undefined, "one that was pruned");
    assertEqual(await tasks.prune({ endedBeforeMs: LATER }), 2, "how many ended at all");
    assertEqual(await tasks.prune({ endedBeforeMs: LATER }), 0, "how many are left to prune");
    assertEqual(idsOf(await tasks.list()), ["open"], "the tasks");
    const again = await tasks.create({ taskId: "a", kind: "other", input: 2 });
    assertEqual(again.state, "pending", "a task under an id that was pruned");
  }),
];
