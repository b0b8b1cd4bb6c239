import type { CheckpointChain, CheckpointMeta, CheckpointStore, CheckpointThread } from "@tinyagents/core";
import { assert, assertEqual, assertFails } from "../assert.js";
import type { Chance } from "../store/chance.js";
import type { Lane } from "./lane.js";
import {
  type LaneRow,
  type LaneTask,
  type LaneThread,
  neededBy,
  rowOf,
  type ThreadWrite,
  taskOf,
  threadAfter,
  threadOf,
  withTask,
} from "./lane-thread.js";
import { performOnThread, termsOf } from "./write-thread.js";

/** What is there of a thread. */
interface SeenThread {
  /** Oldest first. */
  readonly listed: readonly CheckpointMeta[];
  readonly head: CheckpointChain | undefined;
  /** What restores some of them, by id. */
  readonly restored: readonly (readonly [string, CheckpointChain | undefined])[];
}

/** More than a thread ever has here: it is listed whole. */
const ALL = 1_000;

/**
 * Looks at the own thread of a lane: its checkpoints are one line, each that was acknowledged is restored with what tasks
 * left after it, and the write under way is there whole or not at all. All but the head are only listed, unless `isWhole`. Then
 * does the write under way once more, as whoever goes on would, and what must be refused.
 * @throws CheckFailure that says what is not as it must be.
 */
export async function lookAtThread(
  checkpoints: CheckpointStore,
  lane: Lane,
  underWay: ThreadWrite | undefined,
  isWhole: boolean,
  by: Chance,
): Promise<{ readonly thread: LaneThread; readonly kept: boolean }> {
  const own = threadOf(lane.lane);
  const seen = await readThread(checkpoints, own, isWhole);
  const without = problemOf(seen, own, lane.thread.rows);
  const kept = without === undefined ? undefined : keptIn(seen, lane, underWay);
  if (without !== undefined && kept === undefined) {
    const what = underWay === undefined ? "" : `, write ${lane.next} (${underWay.type}) was not acknowledged`;
    const whole = underWay === undefined ? "" : problemOf(seen, own, threadAfter(lane.thread, underWay).rows);
    assert(false, `the thread of lane ${lane.lane}${what}. Without it: ${without}. With it: ${whole}`);
  }
  const found = { ...lane, thread: kept ?? lane.thread };
  const thread = await repeated(checkpoints, found, lane, underWay);
  await refusesTheLate(checkpoints, { ...lane, thread }, by);
  return { thread, kept: kept !== undefined };
}

/** Reads what there is of a thread: all but the head is only listed, unless `isWhole`. */
export async function readThread(
  checkpoints: CheckpointStore,
  thread: CheckpointThread,
  isWhole: boolean,
): Promise<SeenThread> {
  const listed = [...(await checkpoints.list(thread, { limit: ALL }))].reverse();
  const head = await checkpoints.load(thread);
  const restored: [string, CheckpointChain | undefined][] = [];
  for (const { checkpointId } of isWhole ? listed.slice(0, -1) : [])
    restored.push([checkpointId, await checkpoints.load(thread, { checkpointId })]);
  return { listed, head, restored };
}

/** What the write under way has made of the thread; nothing when that is nothing that it may have. */
function keptIn(seen: SeenThread, lane: Lane, underWay: ThreadWrite | undefined): LaneThread | undefined {
  if (underWay === undefined) return undefined;
  const made = madeBy(seen, lane.thread, underWay);
  return problemOf(seen, threadOf(lane.lane), made.rows) === undefined ? made : undefined;
}

function madeBy({ listed, head }: SeenThread, thread: LaneThread, write: ThreadWrite): LaneThread {
  if (write.type === "tasks") {
    const there = new Map((head?.tasks ?? []).map((task) => [task.taskId, task]));
    const isThere = (task: LaneTask): boolean => {
      const whole = withTask(thread, task)
        .rows.at(-1)
        ?.tasks.find(({ taskId }) => taskId === task.taskId);
      return whole !== undefined && isSame(there.get(task.taskId), taskOf(whole));
    };
    return write.tasks.filter(isThere).reduce(withTask, thread);
  }
  if (write.type === "prune") {
    const from = thread.rows.findIndex(({ id }) => id === listed[0]?.checkpointId);
    const most = thread.rows.length - neededBy(thread.rows, write.keep).length;
    return { ...thread, rows: thread.rows.slice(Math.max(0, Math.min(from, most))) };
  }
  return threadAfter(thread, write);
}

/** What is wrong with what is there of a thread that has these rows; nothing when all is right. */
export function problemOf(
  { listed, head, restored }: SeenThread,
  thread: CheckpointThread,
  rows: readonly LaneRow[],
): string | undefined {
  const stored = new Map(rows.map((row) => [row.id, rowOf(thread, row)]));
  const chainTo = (last: LaneRow | undefined): CheckpointChain | undefined => {
    if (last === undefined) return undefined;
    const [from, to] = [last.baseId, last.id].map((id) => rows.findIndex((row) => row.id === id)) as [number, number];
    const way = rows.slice(from, to + 1).flatMap(({ id }) => stored.get(id) ?? []);
    return { rows: way, tasks: inOrder(last.tasks.map(taskOf)), headId: rows.at(-1)?.id ?? "" };
  };
  try {
    const metas = [...stored.values()].map(({ changes: _, ...meta }) => meta);
    assertEqual(listed, metas, "the checkpoints that are listed");
    assertEqual(sorted(head), chainTo(rows.at(-1)), "what restores the head");
    for (const [id, chain] of restored) {
      const row = rows.find((one) => one.id === id);
      assertEqual(sorted(chain), chainTo(row), `what restores ${id}`);
    }
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** A chain with its tasks by their ids: side by side they leave what they leave in any order. */
function sorted(chain: CheckpointChain | undefined): CheckpointChain | undefined {
  return chain && { ...chain, tasks: inOrder(chain.tasks) };
}

function inOrder<T extends { readonly taskId: string }>(tasks: readonly T[]): readonly T[] {
  return tasks.toSorted((one, other) => (one.taskId < other.taskId ? -1 : 1));
}

function isSame(found: unknown, wanted: unknown): boolean {
  try {
    assertEqual(found, wanted, "it");
    return true;
  } catch {
    return false;
  }
}

/** The thread once its write under way was done again: it is done then, whether or not it was before. */
async function repeated(
  checkpoints: CheckpointStore,
  found: Lane,
  before: Lane,
  write: ThreadWrite | undefined,
): Promise<LaneThread> {
  if (write?.type !== "superstep" && write?.type !== "tasks" && write?.type !== "claim") return found.thread;
  const wasDone = write.type === "superstep" && found.thread.rows.length > before.thread.rows.length;
  const at = wasDone ? before : found;
  await performOnThread(checkpoints, at, write, () => undefined);
  return threadAfter(at.thread, write);
}

/** Whoever writes by what was, must be refused: after a checkpoint that is the head no longer, and without the owner's number. */
async function refusesTheLate(checkpoints: CheckpointStore, lane: Lane, by: Chance): Promise<void> {
  const thread = threadOf(lane.lane);
  const [earlier, head] = lane.thread.rows.slice(-2);
  const late = { id: "late", parentId: earlier?.id ?? null, baseId: earlier?.baseId ?? "late", step: 0 };
  if (lane.thread.fence > 0 && by.onceIn(2)) {
    const headId = lane.thread.rows.at(-1)?.id ?? null;
    const work = checkpoints.append(rowOf(thread, { ...late, parentId: headId, baseId: "late" }), {
      expectedHead: headId,
    });
    await assertFails(work, "conflict", `a checkpoint of lane ${lane.lane} without the number of its owner`);
  } else if (head !== undefined && by.onceIn(2)) {
    const work = checkpoints.append(rowOf(thread, late), { ...termsOf(lane), expectedHead: late.parentId });
    await assertFails(work, "conflict", `a checkpoint of lane ${lane.lane} after one that has a child`);
  } else if (head !== undefined) {
    const task = { ...thread, checkpointId: String(late.parentId), taskId: "late", writes: [] };
    await assertFails(
      checkpoints.putWrites(task, termsOf(lane)),
      "conflict",
      `what a task of lane ${lane.lane} left after a checkpoint that has a child`,
    );
  }
}
