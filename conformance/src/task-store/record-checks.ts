import {
  applyTaskAction,
  type ErrorRecord,
  isTinyAgentsError,
  TASK_TRANSITIONS,
  type TaskAction,
  type TaskRecord,
} from "@tinyagents/core";
import { assert, assertEqual, assertFails } from "../assert.js";
import type { Check } from "../check.js";
import { HOSTILE_JSON } from "../checkpoint-store/hostile-json.js";
import { type Chance, chance } from "../store/chance.js";
import type { TaskStoreUnderTest } from "./subject.js";
import { LONG_MS, timeless, topic } from "./suite.js";

const records = topic("tasks");
const actions = topic("actions");

const SEQUENCES = 8;
const STEPS = 40;
const FAILURE: ErrorRecord = {
  name: "TinyAgentsError",
  code: "network",
  message: "no",
  retryable: true,
  details: { provider: "p" },
};

/** What every `TaskStore` promises of one task. */
export const recordChecks: readonly Check<TaskStoreUnderTest>[] = [
  records("knows nothing of a task that nobody has created", async ({ tasks }) => {
    assertEqual(await tasks.get("t"), undefined, "the task");
    assertEqual((await tasks.list()).items, [], "the tasks");
    assertEqual(await tasks.prune({ endedBeforeMs: Number.MAX_SAFE_INTEGER }), 0, "how many were pruned");
    await assertFails(tasks.act("t", { type: "abort", by: "a" }), "invalid_request", "an action");
  }),
  records("gives a task back exactly as it was created, pending and nobody's", async ({ tasks }) => {
    for (const [at, input] of HOSTILE_JSON.entries()) {
      const names = { threadId: `thread ${at}`, rootRunId: "root", parentRunId: "run", parentTaskId: "task" };
      const spec = { taskId: `t${at}`, kind: "k", input, ...names, metadata: { z: input, a: 1 } };
      const created = await tasks.create(spec);
      const found = await tasks.get(`t${at}`);
      assertEqual(found, created, `task ${at}, read again`);
      assertEqual(JSON.stringify(found?.input), JSON.stringify(input), `input ${at}`);
      const state = { v: 1, state: "pending", claims: 0, messages: [], acknowledged: [], history: [] };
      assertEqual(timeless(created), { ...spec, ...state }, `task ${at}`);
      assertEqual(created.createdAtMs, created.updatedAtMs, `when task ${at} was changed`);
    }
  }),
  records("gives a task an id of its own where none is said", async ({ tasks }) => {
    const made = [await tasks.create({ kind: "k", input: 1 }), await tasks.create({ kind: "k", input: 1 })];
    const [first, second] = made.map(({ taskId }) => taskId) as [string, string];
    assert(first !== "" && first !== second, `two tasks got the ids ${first} and ${second}`);
    assertEqual(await tasks.get(second), made[1], "the second");
  }),
  records("takes a task that is created again for the same, and refuses another under its id", async ({ tasks }) => {
    await tasks.create({ taskId: "t", kind: "k", input: { a: 1, b: 2 } });
    await tasks.act("t", { type: "claim", by: "w", leaseMs: LONG_MS });
    const now = await tasks.get("t");
    assertEqual(await tasks.create({ taskId: "t", kind: "k", input: { b: 2, a: 1 } }), now, "what is given");
    await assertFails(tasks.create({ taskId: "t", kind: "k", input: { a: 1 } }), "conflict", "another input");
    await assertFails(tasks.create({ taskId: "t", kind: "l", input: { a: 1, b: 2 } }), "conflict", "another kind");
    assertEqual(await tasks.get("t"), now, "the task");
  }),
  records("refuses what cannot be, and does nothing of it", async ({ tasks }) => {
    await tasks.create({ taskId: "t", kind: "k", input: 1 });
    const calls: { readonly [what: string]: () => Promise<unknown> } = {
      "an empty id": () => tasks.create({ taskId: "", kind: "k", input: 1 }),
      "an empty kind": () => tasks.create({ kind: "", input: 1 }),
      "an input that is not JSON": () => tasks.create({ kind: "k", input: (() => 1) as never }),
      "a field that nobody reads": () => tasks.create({ kind: "k", input: 1, priority: 1 } as never),
      "an action without its owner": () => tasks.act("t", { type: "claim", leaseMs: 1 } as never),
      "an action that there is not": () => tasks.act("t", { type: "pause", by: "a" } as never),
      "an answer that is not JSON": () => tasks.act("t", { type: "answer", by: "a", answer: (() => 1) as never }),
      "a kind without a state": () => tasks.list({ kind: "k" }),
      "two states of all tasks": () => tasks.list({ states: ["pending", "running"] }),
      "a thread and a kind": () => tasks.list({ threadId: "t", kind: "k", states: ["pending"] }),
      "a limit of 0": () => tasks.list({ limit: 0 }),
      "a cursor that nobody gave": () => tasks.list({ cursor: "1" }),
      "no time to prune before": () => tasks.prune({ endedBeforeMs: Number.NaN }),
      "pruning none": () => tasks.prune({ endedBeforeMs: 1, limit: 0 }),
    };
    for (const [what, call] of Object.entries(calls)) await assertFails(call(), "invalid_request", what);
    assertEqual((await tasks.list()).items.length, 1, "how many tasks there are");
    assertEqual((await tasks.get("t"))?.history, [], "what was done with the task");
  }),
  actions("does with a task what the rules of core say, and refuses what they do", async ({ tasks }) => {
    for (let seed = 1; seed <= SEQUENCES; seed++) {
      const by = chance(seed);
      let known = await tasks.create({ taskId: `t${seed}`, kind: "k", input: seed });
      for (let step = 0; step < STEPS; step++) {
        const action = someAction(by, known);
        const what = `step ${step} of sequence ${seed}, ${JSON.stringify(action)}`;
        const wanted = outcomeOf(known, action);
        if (typeof wanted === "string") await assertFails(tasks.act(known.taskId, action), "conflict", what);
        else known = await acted(tasks.act(known.taskId, action), wanted, what);
        assertEqual(await tasks.get(known.taskId), known, `the task after ${what}`);
      }
    }
  }),
  actions("lets the next one claim once the time of the owner is up, who is refused then", async ({ tasks, pass }) => {
    await tasks.create({ taskId: "t", kind: "k", input: 1 });
    await tasks.act("t", { type: "claim", by: "w1", leaseMs: 5 });
    await pass(10);
    const claimed = await tasks.act("t", { type: "claim", by: "w2", leaseMs: LONG_MS });
    assertEqual([claimed.lease?.by, claimed.lease?.fence, claimed.claims], ["w2", 2, 2], "the owner");
    const late = tasks.act("t", { type: "succeed", fence: 1, result: "late" });
    await assertFails(late, "conflict", "the result of the owner before");
    const { retryable } = await assertFails(
      tasks.act("t", { type: "claim", by: "w3", leaseMs: 1 }),
      "conflict",
      "a claim of what is owned",
    );
    assert(retryable, "a claim of what is owned may succeed later, and is not said to");
    const done = await tasks.act("t", { type: "succeed", fence: 2, result: "in time" });
    assertEqual([done.state, done.result, done.lease], ["succeeded", "in time", undefined], "the task");
  }),
];

/** The task as it gave it, which is what is wanted but for its times. */
async function acted(work: Promise<TaskRecord>, wanted: TaskRecord, what: string): Promise<TaskRecord> {
  const found = await work;
  assertEqual(timeless(found), timeless(wanted), what);
  return found;
}

function outcomeOf(task: TaskRecord, action: TaskAction): TaskRecord | string {
  try {
    return applyTaskAction(task, action, task.updatedAtMs);
  } catch (error) {
    if (isTinyAgentsError(error, "conflict")) return error.code;
    throw error;
  }
}

/** Actions that a task does not come back from. */
const LAST: readonly string[] = ["succeed", "fail", "cancel", "abort"];

/** Some action: mostly one that the task allows and goes on from, by whoever may do it. */
function someAction(by: Chance, { state, claims }: TaskRecord): TaskAction {
  const types = Object.keys(TASK_TRANSITIONS) as TaskAction["type"][];
  const isWanted = by.onceIn(25) ? () => true : (type: string) => !LAST.includes(type);
  const allowed = types.filter((type) => TASK_TRANSITIONS[type][state] !== undefined && isWanted(type));
  const type = allowed.length === 0 || by.onceIn(25) ? by.pick(types) : by.pick(allowed);
  const fence = by.onceIn(8) ? claims + 1 : Math.max(1, claims);
  const id = `m${by.below(2)}`;
  switch (type) {
    case "claim":
      return { type, by: "w", leaseMs: LONG_MS, ...(by.onceIn(2) ? { runId: "r" } : {}) };
    case "renew":
      return { type, fence, leaseMs: LONG_MS };
    case "release":
      return { type, fence, reason: "shutdown" };
    case "wait":
      return { type, fence, question: by.below(2) };
    case "succeed":
      return { type, fence, result: by.below(2) };
    case "fail":
      return { type, fence, error: FAILURE };
    case "acknowledge":
      return { type, fence, ids: [id, "none"] };
    case "answer":
      return { type, by: "ada", answer: by.below(2) };
    case "steer":
      return { type, by: "ada", id, payload: { id } };
    case "cancel":
    case "abort":
      return { type, by: "ada", reason: "enough" };
  }
}
