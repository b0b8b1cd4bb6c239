import {
  type CheckpointRow,
  type CheckpointThread,
  corruptData,
  type JsonObject,
  type JsonValue,
  readArray,
  readNumber,
  readObject,
  readString,
  readVersion,
  type TaskWrites,
} from "@tinyagents/core";

/**
 * What every entry of a lineage's log says, so that the last one tells where the rest is: nobody has to read a log from its
 * start to add to its end.
 */
interface EntryPlaces {
  readonly v: 1;
  /** The offset of the newest checkpoint, this entry's own if it is one; `null` before the first. */
  readonly headAt: number | null;
  /** The offset of the head's base; `null` before the first checkpoint. */
  readonly baseAt: number | null;
  /** The number of the newest owner. 0: there was none. */
  readonly fence: number;
}

export interface CheckpointEntry extends EntryPlaces {
  readonly type: "checkpoint";
  readonly headAt: number;
  readonly baseAt: number;
  readonly row: CheckpointRow;
}

/** What a task left after the head. */
export interface TaskEntry extends EntryPlaces {
  readonly type: "task";
  readonly headAt: number;
  readonly baseAt: number;
  readonly task: TaskWrites;
}

/** Somebody owns the lineage from here on: the fence is its number. */
export interface ClaimEntry extends EntryPlaces {
  readonly type: "claim";
}

/** One entry of the log of a lineage. */
export type LineageEntry = CheckpointEntry | TaskEntry | ClaimEntry;

/** The newest format of entries. */
const FORMAT = 1;

/** An entry that was read from a log. @throws `corrupt_data`, `version_mismatch` */
export function readLineageEntry(value: JsonValue, thread: CheckpointThread, place: string): LineageEntry {
  const entry = readObject(value, place);
  readVersion(entry, FORMAT, place);
  readOffset(entry.fence, `${place}.fence`);
  switch (entry.type) {
    case "checkpoint":
      readCheckpointRow(entry.row, thread, `${place}.row`);
      readHead(entry, place);
      break;
    case "task":
      readTask(entry.task, `${place}.task`);
      readHead(entry, place);
      break;
    case "claim":
      if (entry.headAt !== null || entry.baseAt !== null) readHead(entry, place);
      break;
    default:
      throw corruptData(`${place}.type`, '"checkpoint", "task" or "claim" is expected');
  }
  return entry as unknown as LineageEntry;
}

function readHead(entry: JsonObject, place: string): void {
  const headAt = readOffset(entry.headAt, `${place}.headAt`);
  const baseAt = readOffset(entry.baseAt, `${place}.baseAt`);
  if (baseAt > headAt) throw corruptData(`${place}.baseAt`, `it comes after the head at offset ${headAt}`);
}

function readCheckpointRow(value: JsonValue | undefined, thread: CheckpointThread, place: string): void {
  const row = readObject(value, place);
  readVersion(row, FORMAT, place);
  for (const name of ["threadId", "namespace"] as const) {
    const found = readString(row[name], `${place}.${name}`);
    if (found !== thread[name]) throw corruptData(`${place}.${name}`, `it is "${found}", not "${thread[name]}"`);
  }
  readString(row.checkpointId, `${place}.checkpointId`);
  readString(row.baseId, `${place}.baseId`);
  if (row.parentId !== null) readString(row.parentId, `${place}.parentId`);
  readOffset(row.step, `${place}.step`);
  readNumber(row.createdAtMs, `${place}.createdAtMs`);
  readObject(row.metadata, `${place}.metadata`);
  if (row.changes === undefined) throw corruptData(`${place}.changes`, "it is missing");
}

function readTask(value: JsonValue | undefined, place: string): void {
  const task = readObject(value, place);
  readString(task.taskId, `${place}.taskId`);
  if (task.writes !== undefined) readArray(task.writes, `${place}.writes`);
  if (task.control !== undefined) readObject(task.control, `${place}.control`);
}

function readOffset(value: JsonValue | undefined, place: string): number {
  const offset = readNumber(value, place);
  if (Number.isSafeInteger(offset) && offset >= 0) return offset;
  throw corruptData(place, `a whole number from 0 up is expected, ${offset} found`);
}
