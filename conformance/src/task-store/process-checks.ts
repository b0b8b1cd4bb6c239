import { numbers } from "../append-store/suite.js";
import { assertEqual } from "../assert.js";
import type { Check } from "../check.js";
import { allAtOnce, PROCESSES_MS } from "../process/all-at-once.js";
import { sharedIds } from "./jobs.js";
import type { TaskStoreUnderTest } from "./subject.js";
import { idsOf, timeless, topic } from "./suite.js";

const COUNT = 30;
const TIMES = 20;

const processes = topic("several processes");
const OPTIONS = { needs: ["multiProcess", "processes"], extraMs: PROCESSES_MS } as const;

/** What processes that really are several do to each other's tasks. */
export const processChecks: readonly Check<TaskStoreUnderTest>[] = [
  processes(
    "gives each task to exactly one of several processes that create and claim them all, and loses none",
    async ({ tasks, others }) => {
      const done = (await allAtOnce(await others(2), "do_tasks", { count: COUNT })) as readonly string[][];
      assertEqual(done.flat().toSorted(), sharedIds(COUNT).toSorted(), "the tasks that were done");
      for (const [at, ids] of done.entries()) {
        const by = `w${at}`;
        const history = [
          { action: "claim", from: "pending", to: "running", by },
          { action: "succeed", from: "running", to: "succeeded", by },
        ];
        const rest = { v: 1, kind: "shared", state: "succeeded", claims: 1, messages: [], acknowledged: [], history };
        for (const taskId of ids) {
          const task = await tasks.get(taskId);
          assertEqual(task && timeless(task), { ...rest, taskId, input: taskId, result: by }, `the task ${taskId}`);
        }
      }
      const listed = idsOf(await tasks.list({ kind: "shared", states: ["succeeded"] }));
      assertEqual(listed.toSorted(), sharedIds(COUNT).toSorted(), "the tasks that are listed as done");
      for (const states of [["pending"], ["running"]] as const)
        assertEqual(idsOf(await tasks.list({ states })), [], `the tasks that are listed as ${states}`);
    },
    OPTIONS,
  ),
  processes(
    "keeps all that several processes say and do to one task at once, each in its order, with the whole history",
    async ({ tasks, others }) => {
      await tasks.create({ taskId: "t", kind: "k", input: null });
      const turns = { taskId: "t", times: TIMES };
      const fences = (await allAtOnce(await others(2), "take_turns", turns)) as readonly number[][];
      const claims = fences.flatMap((own, by) => own.map((fence) => [fence, `w${by}`] as const));
      const inOrder = claims.toSorted(([one], [other]) => one - other);
      assertEqual(
        inOrder.map(([fence]) => fence),
        numbers(1, 2 * TIMES + 1),
        "the numbers of the claims",
      );
      const task = await tasks.get("t");
      const history = inOrder.flatMap(([, by]) => [
        { action: "claim", from: "pending", to: "running", by },
        { action: "release", from: "running", to: "pending", by },
      ]);
      assertEqual((task && (timeless(task) as typeof task))?.history, history, "the history");
      for (const by of [0, 1]) {
        const said = task?.messages.filter(({ payload }) => payload === by).map(({ id }) => id);
        assertEqual(
          said,
          numbers(0, TIMES).map((n) => `${by} ${n}`),
          `what process ${by} said`,
        );
        assertEqual(
          fences[by],
          fences[by]?.toSorted((one, other) => one - other),
          `the claims of process ${by}`,
        );
      }
    },
    OPTIONS,
  ),
];
