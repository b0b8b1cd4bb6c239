import { assertEqual, assertFails } from "../assert.js";
import type { Check } from "../check.js";
import { HOSTILE_JSON } from "./hostile-json.js";
import type { CheckpointStoreUnderTest } from "./subject.js";
import { appendAll, left, line, row, THREAD, tasksOf, topic } from "./suite.js";

const tasks = topic("tasks");

/** What every `CheckpointStore` promises of what tasks leave between checkpoints. */
export const taskChecks: readonly Check<CheckpointStoreUnderTest>[] = [
  tasks("keeps what tasks left after the head, until the next checkpoint", async ({ checkpoints }) => {
    await appendAll(checkpoints, line(1));
    await checkpoints.putWrites(left("c0", "b", { writes: [{ channel: "x", value: 1 }] }));
    await checkpoints.putWrites(left("c0", "a", { writes: [] }));
    const chain = await checkpoints.load(THREAD);
    assertEqual(
      chain?.tasks,
      [
        { taskId: "b", writes: [{ channel: "x", value: 1 }] },
        { taskId: "a", writes: [] },
      ],
      "what tasks left, in the order in which they did",
    );
    await checkpoints.append(row("c1", "c0"), { expectedHead: "c0" });
    assertEqual((await checkpoints.load(THREAD))?.tasks, [], "what tasks left after the next");
    assertEqual(
      tasksOf(await checkpoints.load(THREAD, { checkpointId: "c0" })),
      { b: { writes: [{ channel: "x", value: 1 }] }, a: { writes: [] } },
      "what tasks left after the earlier one",
    );
  }),
  tasks("keeps the writes of a task once: the same again add nothing, others are refused", async ({ checkpoints }) => {
    await appendAll(checkpoints, line(1));
    await checkpoints.putWrites(left("c0", "a", { writes: [{ b: 1, a: 2 }] }));
    await checkpoints.putWrites(left("c0", "a", { writes: [{ a: 2, b: 1 }] }));
    await assertFails(checkpoints.putWrites(left("c0", "a", { writes: [3] })), "conflict", "other writes");
    await assertFails(checkpoints.putWrites(left("c0", "a", { writes: [] })), "conflict", "no writes");
    assertEqual(tasksOf(await checkpoints.load(THREAD)), { a: { writes: [{ b: 1, a: 2 }] } }, "what is kept");
  }),
  tasks("keeps writes and control apart, however they come", async ({ checkpoints }) => {
    await appendAll(checkpoints, line(1));
    await checkpoints.putWrites(left("c0", "a", { control: { interrupt: ["q1"], error: "e" } }));
    await checkpoints.putWrites(left("c0", "a", { writes: [1, 2] }));
    await checkpoints.putWrites(left("c0", "a", { control: { interrupt: ["q2"] } }));
    await checkpoints.putWrites(left("c0", "b", { writes: [3], control: { resume: null } }));
    assertEqual(
      tasksOf(await checkpoints.load(THREAD)),
      {
        a: { writes: [1, 2], control: { interrupt: ["q2"], error: "e" } },
        b: { writes: [3], control: { resume: null } },
      },
      "what is kept",
    );
  }),
  tasks("gives what tasks left back exactly, whatever their ids are", async ({ checkpoints }) => {
    await appendAll(checkpoints, line(1));
    const ids = ["__proto__", "constructor", "../a", "*", "%", "a:1|b", "\u0000"];
    for (const id of ids) {
      const control = Object.fromEntries([[id, HOSTILE_JSON as never]]);
      await checkpoints.putWrites(left("c0", id, { writes: HOSTILE_JSON, control }));
    }
    const chain = await checkpoints.load(THREAD);
    for (const [at, taskId] of ids.entries()) {
      const control = Object.fromEntries([[taskId, HOSTILE_JSON as never]]);
      assertEqual(chain?.tasks[at]?.taskId, taskId, `the id of task ${at}`);
      assertEqual(JSON.stringify(chain?.tasks[at]?.writes), JSON.stringify(HOSTILE_JSON), `the writes of ${taskId}`);
      assertEqual(JSON.stringify(chain?.tasks[at]?.control), JSON.stringify(control), `the control of ${taskId}`);
    }
  }),
  tasks("refuses what a task left after a checkpoint that is not the head", async ({ checkpoints }) => {
    const nowhere = checkpoints.putWrites(left("c0", "a", { writes: [1] }));
    await assertFails(nowhere, "conflict", "before the first checkpoint");
    await appendAll(checkpoints, line(2));
    await assertFails(checkpoints.putWrites(left("c0", "a", { writes: [1] })), "conflict", "after an old checkpoint");
    assertEqual(tasksOf(await checkpoints.load(THREAD, { checkpointId: "c0" })), {}, "what is kept");
  }),
  tasks("refuses what is nothing that a task could leave", async ({ checkpoints }) => {
    await appendAll(checkpoints, line(1));
    const wrong = [{}, { writes: "a" }, { writes: [undefined] }, { control: [] }, { control: { a: () => 1 } }];
    for (const what of wrong) {
      const put = checkpoints.putWrites(left("c0", "a", what as never));
      await assertFails(put, "invalid_request", JSON.stringify(what));
    }
    await assertFails(checkpoints.putWrites(left("c0", "", { writes: [] })), "invalid_request", "a task without an id");
    assertEqual((await checkpoints.load(THREAD))?.tasks, [], "what is kept");
  }),
  tasks("keeps what others leave when one of them is cancelled", async ({ checkpoints }) => {
    await appendAll(checkpoints, line(1));
    const stop = new AbortController();
    const puts = Array.from({ length: 9 }, (_, at) =>
      checkpoints.putWrites(
        left("c0", `task ${at}`, { writes: [at] }),
        {},
        at % 3 === 1 ? { signal: stop.signal } : {},
      ),
    );
    stop.abort();
    const outcomes = (await Promise.allSettled(puts)).map((one) => (one.status === "fulfilled" ? one : one.reason));
    const kept = tasksOf(await checkpoints.load(THREAD));
    for (const [at, outcome] of outcomes.entries()) {
      if (at % 3 !== 1) assertEqual(kept[`task ${at}`], { writes: [at] }, `task ${at}`);
      else if (outcome instanceof Error) await assertFails(Promise.reject(outcome), "cancelled", `task ${at}`);
    }
    await checkpoints.putWrites(left("c0", "task 1", { writes: [1] }));
    await checkpoints.append(row("c1", "c0"), { expectedHead: "c0" });
  }),
];
