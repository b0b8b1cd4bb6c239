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
export interface EntryPlaces {
  readonly v: 1;
  /** The offset of the newest checkpoint, this entry's own if it is one; `null` before the first. */
  readonly headAt: number | null;
  /** The offset of the head's base; `null` before the first checkpoint. */
  readonly baseAt: number | null;
  /** Checkpoints whose base stands before this offset were dropped. */
  readonly startAt: number;
  /** The number of the newest owner. 0: there was none. */
  readonly fence: number;
  /** The lineage is being copied from another one, and nobody else may read or write it. */
  readonly copying?: true;
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

/**
 * Something has changed of what every entry says: somebody owns the lineage (`claim`), checkpoints were dropped (`prune`), a
 * copy begins or is done (`copy`).
 */
export interface PlacesEntry extends EntryPlaces {
  readonly type: "claim" | "prune" | "copy";
}

/** One entry of the log of a lineage. */
export type LineageEntry = CheckpointEntry | TaskEntry | PlacesEntry;

/**
 * The key under which a checkpoint is appended. It keeps an id from being used twice, however long ago it was used first, and
 * tells where a checkpoint stands.
 */
export function checkpointKey(checkpointId: string): string {
  return `checkpoint/${checkpointId}`;
}

/** The newest format of entries. */
const FORMAT = 1;

/** An entry that was read from a log at an offset. @throws `corrupt_data`, `version_mismatch` */
export function readLineageEntry(
  value: JsonValue,
  thread: CheckpointThread,
  { offset, place }: { readonly offset: number; readonly place: string },
): LineageEntry {
  const entry = readObject(value, place);
  readVersion(entry, FORMAT, place);
  readWhole(entry.fence, `${place}.fence`);
  readWhole(entry.startAt, `${place}.startAt`);
  if (entry.copying !== undefined && entry.copying !== true)
    throw corruptData(`${place}.copying`, "true or nothing is expected");
  switch (entry.type) {
    case "checkpoint":
      readCheckpointRow(entry.row, thread, `${place}.row`);
      if (readHead(entry, offset, place) !== offset)
        throw corruptData(`${place}.headAt`, "a checkpoint is the head, and stands at another offset");
      break;
    case "task":
      readTask(entry.task, `${place}.task`);
      if (readHead(entry, offset, place) === offset)
        throw corruptData(`${place}.headAt`, "a task is no checkpoint, and stands at this offset");
      break;
    case "claim":
    case "prune":
    case "copy":
      if (entry.headAt !== null || entry.baseAt !== null) readHead(entry, offset, place);
      break;
    default:
      throw corruptData(`${place}.type`, '"checkpoint", "task", "claim", "prune" or "copy" is expected');
  }
  return entry as unknown as LineageEntry;
}

function readHead(entry: JsonObject, offset: number, place: string): number {
  const headAt = readWhole(entry.headAt, `${place}.headAt`);
  const baseAt = readWhole(entry.baseAt, `${place}.baseAt`);
  if (headAt > offset) throw corruptData(`${place}.headAt`, `${headAt} comes after the entry`);
  if (baseAt > headAt) throw corruptData(`${place}.baseAt`, `${baseAt} comes after the head at offset ${headAt}`);
  return headAt;
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
  readWhole(row.step, `${place}.step`);
  readNumber(row.createdAtMs, `${place}.createdAtMs`);
  readObject(row.metadata, `${place}.metadata`);
  if (row.changes === undefined) throw corruptData(`${place}.changes`, "it is missing");
}

function readTask(value: JsonValue | undefined, place: string): void {
  const task = readObject(value, place);
  readString(task.taskId, `${place}.taskId`);
  if (task.writes !== undefined) readArray(task.writes, `${place}.writes`);
  if (task.control !== undefined) readObject(task.control, `${place}.control`);
  if (task.writes === undefined && task.control === undefined)
    throw corruptData(`${place}.writes`, "writes or control are expected");
}

function readWhole(value: JsonValue | undefined, place: string): number {
  const found = readNumber(value, place);
  if (Number.isSafeInteger(found) && found >= 0) return found;
  throw corruptData(place, `a whole number from 0 up is expected, ${found} found`);
}
