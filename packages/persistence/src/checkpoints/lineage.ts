import {
  type CheckpointRow,
  type CheckpointThread,
  canonicalJson,
  corruptData,
  type JsonObject,
  type TaskWrites,
} from "@tinyagents/core";
import type { CheckpointEntry, EntryPlaces, LineageEntry, TaskEntry } from "./checkpoint-entry.js";
import { lineageName } from "./conflicts.js";

/** The newest checkpoint, without what would have to be kept in memory for nothing. */
export interface Head {
  readonly checkpointId: string;
  readonly baseId: string;
  readonly headAt: number;
  readonly baseAt: number;
}

/** What is known of a lineage's log: all that the next entry depends on. */
export interface LineageEnd {
  /** The offset of the next entry. */
  next: number;
  /** Absent before the first checkpoint. */
  head: Head | undefined;
  startAt: number;
  fence: number;
  copying: boolean;
  /** What tasks left since the head, by task id, in the order in which they first left something. */
  readonly tasks: Map<string, TaskWrites>;
}

/** The end of a log in which nothing stands. */
export function emptyEnd(): LineageEnd {
  return { next: 0, head: undefined, startAt: 0, fence: 0, copying: false, tasks: new Map() };
}

/** Moves an end past one more entry. */
export function moveOn(end: LineageEnd, entry: LineageEntry, offset: number): void {
  end.next = offset + 1;
  end.startAt = entry.startAt;
  end.fence = entry.fence;
  end.copying = entry.copying === true;
  if (entry.type === "checkpoint") {
    const { checkpointId, baseId } = entry.row;
    end.head = { checkpointId, baseId, headAt: entry.headAt, baseAt: entry.baseAt };
    if (end.tasks.size > 0) end.tasks.clear();
  } else if (entry.type === "task") {
    end.tasks.set(entry.task.taskId, joined(end.tasks.get(entry.task.taskId), entry.task));
  }
}

/** What the next entry says when it changes nothing of it. */
export function placesOf({ head, startAt, fence, copying }: Readonly<LineageEnd>): EntryPlaces {
  const { headAt = null, baseAt = null } = head ?? {};
  return { v: 1, headAt, baseAt, startAt, fence, ...(copying ? { copying } : {}) };
}

/** The entry of a checkpoint that becomes the head. */
export function checkpointEntry(end: Readonly<LineageEnd>, row: CheckpointRow, baseAt: number): CheckpointEntry {
  const { next, startAt, fence } = end;
  return { v: 1, headAt: next, baseAt, startAt, fence, type: "checkpoint", row };
}

/** The entry of what a task left after the head. */
export function taskEntry(
  { startAt, fence }: Readonly<LineageEnd>,
  { headAt, baseAt }: Head,
  task: TaskWrites,
): TaskEntry {
  return { v: 1, headAt, baseAt, startAt, fence, type: "task", task };
}

/** What a task has left after it leaves more. Writes are kept once; of `control`, the newest under each name. */
export function joined(before: TaskWrites | undefined, task: TaskWrites): TaskWrites {
  if (before === undefined) return task;
  const writes = before.writes ?? task.writes;
  const control = task.control === undefined ? before.control : { ...before.control, ...task.control };
  return {
    taskId: task.taskId,
    ...(writes === undefined ? {} : { writes }),
    ...(control === undefined ? {} : { control }),
  };
}

/** What of it a task has not left before; nothing when it has left all of it. `other`: it has left other writes. */
export function newOf(before: TaskWrites | undefined, task: TaskWrites): TaskWrites | "other" | undefined {
  if (before === undefined) return task;
  const { taskId, writes } = task;
  if (before.writes !== undefined && writes !== undefined && canonicalJson(before.writes) !== canonicalJson(writes))
    return "other";
  const newWrites = before.writes === undefined ? writes : undefined;
  const control = changedControl(before.control, task.control);
  if (newWrites === undefined && control === undefined) return undefined;
  return {
    taskId,
    ...(newWrites === undefined ? {} : { writes: newWrites }),
    ...(control === undefined ? {} : { control }),
  };
}

function changedControl(before: JsonObject = {}, control: JsonObject = {}): JsonObject | undefined {
  const changed = Object.entries(control).filter(([name, value]) => {
    const known = Object.hasOwn(before, name) ? before[name] : undefined;
    return known === undefined || canonicalJson(known) !== canonicalJson(value);
  });
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}

/** The checkpoints on the way from a base to one of its descendants, out of those that stand between them. */
export function wayTo(
  entries: readonly CheckpointEntry[],
  target: CheckpointEntry,
  thread: CheckpointThread,
): readonly CheckpointEntry[] {
  const { checkpointId, baseId } = target.row;
  const way: CheckpointEntry[] = [target];
  let wanted: CheckpointEntry = target;
  for (let i = entries.length - 1; i >= 0 && wanted.row.checkpointId !== baseId; i--) {
    const entry = entries[i] as CheckpointEntry;
    if (entry.row.checkpointId !== wanted.row.parentId) continue;
    way.push(entry);
    wanted = entry;
  }
  if (wanted.row.checkpointId === baseId) return way.reverse();
  throw corruptData(
    `checkpoint "${checkpointId}" of ${lineageName(thread)}`,
    `the way back to its base "${baseId}" ends at "${wanted.row.checkpointId}"`,
  );
}
