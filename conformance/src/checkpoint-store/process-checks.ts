import { assertEqual } from "../assert.js";
import type { Check } from "../check.js";
import { allAtOnce, PROCESSES_MS } from "../process/all-at-once.js";
import type { CheckpointStoreUnderTest } from "./subject.js";
import { appendAll, line, THREAD, tasksOf, topic } from "./suite.js";

const TIMES = 25;

const processes = topic("several processes");

/** What processes that really are several do to each other's checkpoints. */
export const processChecks: readonly Check<CheckpointStoreUnderTest>[] = [
  processes(
    "lets processes that move one thread on neither fork it, nor lose a checkpoint, nor what led to one",
    async ({ checkpoints, others }) => {
      await appendAll(checkpoints, line(1));
      const moved = await allAtOnce(await others(2), "move_checkpoints", { times: TIMES });
      const listed = [...(await checkpoints.list(THREAD))].reverse();
      const ids = listed.map(({ checkpointId }) => checkpointId);
      assertEqual(ids.toSorted(), ["c0", ...(moved as readonly string[][]).flat()].toSorted(), "the checkpoints");
      for (const [at, { checkpointId, parentId }] of listed.slice(1).entries()) {
        assertEqual(parentId, ids[at], `the parent of ${checkpointId}`);
        const left = tasksOf(await checkpoints.load(THREAD, { checkpointId: ids[at] }));
        const by = checkpointId.split("-")[0];
        assertEqual(left[`task of ${by}`], { writes: [checkpointId] }, `what led to ${checkpointId}`);
      }
    },
    { needs: ["multiProcess", "processes"], extraMs: PROCESSES_MS },
  ),
];
