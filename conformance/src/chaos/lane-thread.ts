import type { CheckpointRow, CheckpointThread, JsonObject, TaskWrites } from "@tinyagents/core";
import type { Chance } from "../store/chance.js";
import { smallerContentOf } from "./content.js";

/** What is known of one writer's own thread of checkpoints. All data: it crosses processes. */
export interface LaneThread {
  /** Oldest first, each the child of the one before. */
  readonly rows: readonly LaneRow[];
  /** The number of the owner; 0: there is none. */
  readonly fence: number;
  /** What a thread that was copied from it has; nothing where there is none. */
  readonly copy: readonly LaneRow[];
}

export interface LaneRow {
  readonly id: string;
  readonly parentId: string | null;
  readonly baseId: string;
  readonly step: number;
  /** What tasks left after it, by their id. */
  readonly tasks: readonly LaneTask[];
}

/** What a task left: ids of contents, see {@link smallerContentOf}. */
export interface LaneTask {
  readonly taskId: string;
  readonly writes?: string;
  /** By name. */
  readonly control?: { readonly [name: string]: string };
}

/** A checkpoint of the thread that all lanes move on. */
export type MovedRow = Omit<LaneRow, "tasks">;

/** One write to a thread of checkpoints. */
export type ThreadWrite =
  | { readonly type: "superstep"; readonly row: LaneRow }
  /** Side by side, each acknowledged by itself. */
  | { readonly type: "tasks"; readonly tasks: readonly LaneTask[] }
  | { readonly type: "claim"; readonly fence: number }
  | { readonly type: "prune"; readonly keep: number }
  | { readonly type: "forget" }
  /** Copies the thread to one that is not there. */
  | { readonly type: "copy" }
  /** Takes the copy away. */
  | { readonly type: "discard" }
  /** A superstep of the one thread that all lanes move on: on whatever is its head by then. */
  | { readonly type: "move"; readonly id: string };

const THREAD_WRITES: readonly string[] = [
  "superstep",
  "tasks",
  "claim",
  "prune",
  "forget",
  "copy",
  "discard",
  "move",
] satisfies readonly ThreadWrite["type"][];

export const NO_THREAD: LaneThread = { rows: [], fence: 0, copy: [] };
/** The thread that all lanes move on. No lane's own has this name. */
export const MOVED: CheckpointThread = { threadId: "moved by all", namespace: "" };

/** Threads with more checkpoints are pruned or taken away, so that long runs stay fast. */
const MOST_ROWS = 16;
/** So many steps after a base comes the next one, at the latest. */
export const BASE_EVERY = 10;

/** Whether a write is one to a thread of checkpoints. */
export function isThreadWrite(write: { readonly type: string }): write is ThreadWrite {
  return THREAD_WRITES.includes(write.type);
}

export function threadOf(lane: number): CheckpointThread {
  return { threadId: `lane ${lane}/%`, namespace: "" };
}

/** The thread that a lane copies its own to. */
export function copyOf(lane: number): CheckpointThread {
  return { threadId: `copy of lane ${lane}/%`, namespace: "" };
}

/** The next write of a lane to checkpoints. */
export function threadWrite(thread: LaneThread, by: Chance, id: string): ThreadWrite {
  const { rows, fence, copy } = thread;
  if (by.onceIn(4)) return { type: "move", id };
  if (by.onceIn(15)) return { type: "claim", fence: fence + 1 };
  if (copy.length > 0 && by.onceIn(5)) return { type: "discard" };
  if (copy.length === 0 && rows.length > 0 && by.onceIn(5)) return { type: "copy" };
  if (rows.length > MOST_ROWS || (rows.length > 0 && by.onceIn(25)))
    return by.onceIn(2) ? { type: "forget" } : { type: "prune", keep: 1 + by.below(3) };
  if (rows.length === 0 || by.onceIn(2)) return { type: "superstep", row: nextRow(rows.at(-1), by, id) };
  return { type: "tasks", tasks: Array.from({ length: 1 + by.below(3) }, (_, at) => nextTask(rows, by, id, at)) };
}

function nextRow(head: LaneRow | undefined, by: Chance, id: string): LaneRow {
  if (head === undefined) return { id, parentId: null, baseId: id, step: 0, tasks: [] };
  const step = head.step + 1;
  const baseId = step % BASE_EVERY === 0 || by.onceIn(6) ? id : head.baseId;
  return { id, parentId: head.id, baseId, step, tasks: [] };
}

/** What a task writes follows from its checkpoint, so that running it again gives the same; what it asks does not. */
function nextTask(rows: readonly LaneRow[], by: Chance, id: string, at: number): LaneTask {
  const taskId = `task ${at}`;
  const writes = `${rows.at(-1)?.id} ${taskId}`;
  const control = Object.fromEntries([[by.pick(["interrupt", "__proto__", "error"]), `${id} ${taskId}`]]);
  return by.pick<LaneTask>([
    { taskId, writes },
    { taskId, control },
    { taskId, writes, control },
  ]);
}

/** A thread after a write. */
export function threadAfter(thread: LaneThread, write: ThreadWrite): LaneThread {
  switch (write.type) {
    case "superstep":
      return { ...thread, rows: [...thread.rows, write.row] };
    case "tasks":
      return write.tasks.reduce(withTask, thread);
    case "claim":
      return { ...thread, fence: write.fence };
    case "prune":
      return { ...thread, rows: neededBy(thread.rows, write.keep) };
    case "forget":
      return { ...NO_THREAD, copy: thread.copy };
    case "copy":
      return { ...thread, copy: thread.rows };
    case "discard":
      return { ...thread, copy: [] };
    case "move":
      return thread;
  }
}

/** A thread after one task has left something. */
export function withTask(thread: LaneThread, task: LaneTask): LaneThread {
  const [head, ...earlier] = thread.rows.toReversed();
  if (head === undefined) return thread;
  const known = head.tasks.find(({ taskId }) => taskId === task.taskId);
  const others = head.tasks.filter((one) => one !== known);
  const tasks = [...others, joined(known, task)];
  return { ...thread, rows: [...earlier.reverse(), { ...head, tasks }] };
}

function joined(known: LaneTask | undefined, task: LaneTask): LaneTask {
  const control = [...Object.entries(known?.control ?? {}), ...Object.entries(task.control ?? {})];
  return { ...known, ...task, ...(control.length === 0 ? {} : { control: Object.fromEntries(control) }) };
}

/** The newest rows, and all that it takes to restore them. */
export function neededBy<R extends { readonly id: string; readonly baseId: string }>(
  rows: readonly R[],
  keep: number,
): readonly R[] {
  const oldest = rows.at(-Math.min(keep, rows.length));
  return rows.slice(rows.findIndex(({ id }) => id === oldest?.baseId));
}

/** A row as it is stored. */
export function rowOf(thread: CheckpointThread, { id, parentId, baseId, step }: MovedRow): CheckpointRow {
  return {
    v: 1,
    ...thread,
    checkpointId: id,
    parentId,
    baseId,
    step,
    createdAtMs: step,
    metadata: { of: id },
    changes: smallerContentOf(id),
  };
}

/** What a task left, as it is stored. */
export function taskOf({ taskId, writes, control }: LaneTask): TaskWrites {
  const named = Object.entries(control ?? {}).map(([name, id]) => [name, smallerContentOf(id)] as const);
  return {
    taskId,
    ...(writes === undefined ? {} : { writes: [smallerContentOf(writes), taskId] }),
    ...(control === undefined ? {} : { control: Object.fromEntries(named) as JsonObject }),
  };
}
