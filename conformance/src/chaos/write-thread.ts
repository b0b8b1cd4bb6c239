import { type CheckpointStore, type CheckpointTerms, isTinyAgentsError } from "@tinyagents/core";
import { CheckFailure } from "../assert.js";
import { smallerContentOf } from "./content.js";
import type { Lane } from "./lane.js";
import { BASE_EVERY, copyOf, MOVED, type MovedRow, rowOf, type ThreadWrite, taskOf, threadOf } from "./lane-thread.js";

/** How often in a row somebody else may move the thread of all lanes on first. */
const MOST_TRIES = 2_000;

/**
 * Does one write to a thread of checkpoints. `onTask` is told of each task that has left what it left.
 * @returns of a move: the checkpoint that it was made on.
 */
export async function performOnThread(
  checkpoints: CheckpointStore,
  lane: Lane,
  write: ThreadWrite,
  onTask: (taskId: string) => void,
): Promise<string | null | undefined> {
  const thread = threadOf(lane.lane);
  const terms = termsOf(lane);
  const headId = lane.thread.rows.at(-1)?.id ?? null;
  switch (write.type) {
    case "superstep":
      await checkpoints.append(rowOf(thread, write.row), { ...terms, expectedHead: write.row.parentId });
      return undefined;
    case "tasks": {
      const putting = write.tasks.map(async (task) => {
        await checkpoints.putWrites({ ...thread, checkpointId: String(headId), ...taskOf(task) }, terms);
        onTask(task.taskId);
      });
      await Promise.all(putting);
      return undefined;
    }
    case "claim":
      await checkpoints.claim(thread, write.fence);
      return undefined;
    case "prune":
      await checkpoints.prune(thread, { keep: write.keep });
      return undefined;
    case "forget":
      return forget(checkpoints, thread.threadId);
    case "copy":
      await checkpoints.copyThread(thread.threadId, copyOf(lane.lane).threadId);
      return undefined;
    case "discard":
      return forget(checkpoints, copyOf(lane.lane).threadId);
    case "move":
      return move(checkpoints, write.id);
  }
}

async function forget(checkpoints: CheckpointStore, threadId: string): Promise<undefined> {
  if (await checkpoints.deleteThread(threadId)) return undefined;
  throw new CheckFailure("deleting a thread gave false, and it is there");
}

/** By what a lane proves that its thread is its own. */
export function termsOf({ thread: { fence } }: Lane): CheckpointTerms {
  return fence === 0 ? {} : { fence };
}

/** The checkpoint of a move, after whatever is the head. */
export function movedRow(head: MovedRow | undefined, id: string): MovedRow {
  const step = head === undefined ? 0 : head.step + 1;
  const baseId = head === undefined || step % BASE_EVERY === 0 ? id : head.baseId;
  return { id, parentId: head?.id ?? null, baseId, step };
}

/** What leads to a move: the task of its superstep, which is kept before the checkpoint is. */
export function movingTask(id: string): ReturnType<typeof taskOf> {
  return { taskId: `moves ${id}`, writes: [smallerContentOf(`${id} moves`)] };
}

/** Moves the thread of all lanes on, again and again until nobody else was faster. Gives what it was moved on from. */
async function move(checkpoints: CheckpointStore, id: string): Promise<string | null> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const last = (await checkpoints.load(MOVED))?.rows.at(-1);
    const head = last && { id: last.checkpointId, parentId: last.parentId, baseId: last.baseId, step: last.step };
    try {
      if (head !== undefined) await checkpoints.putWrites({ ...MOVED, checkpointId: head.id, ...movingTask(id) });
      const expectedHead = head?.id ?? null;
      await checkpoints.append(rowOf(MOVED, movedRow(head, id)), { expectedHead });
      return expectedHead;
    } catch (error) {
      if (!isTinyAgentsError(error, "conflict")) throw error;
    }
  }
  throw new CheckFailure(`${MOST_TRIES} times in a row somebody else had moved the thread on, or nobody had`);
}
