import {
  type CheckpointRow,
  type CheckpointThread,
  copyStoredJson,
  invalidArgument,
  type JsonObject,
  readWholeNumber,
  type TaskWrites,
} from "@tinyagents/core";

/** A copy of a row that shares nothing with it. @throws `invalid_request` that names the place of what cannot be. */
export function copyRow(row: CheckpointRow): CheckpointRow {
  checkThread(row, "row.");
  if (row.v !== 1) throw invalidArgument("row.v", `format 1 is expected, ${String(row.v)} given`);
  checkText(row.checkpointId, "row.checkpointId");
  checkText(row.baseId, "row.baseId");
  if (row.parentId !== null) checkText(row.parentId, "row.parentId");
  if (row.parentId === row.checkpointId) throw invalidArgument("row.parentId", "a checkpoint is not its own parent");
  if (row.parentId === null && row.baseId !== row.checkpointId)
    throw invalidArgument("row.baseId", "a checkpoint without a parent is its own base");
  readWholeNumber(row.step, 0, "row.step");
  if (!Number.isFinite(row.createdAtMs))
    throw invalidArgument("row.createdAtMs", "milliseconds since 1970 are expected");
  const { v, threadId, namespace, checkpointId, parentId, baseId, step, createdAtMs } = row;
  const metadata = copyObject(row.metadata, "row.metadata");
  const changes = copyStoredJson(row.changes, "row.changes");
  return { v, threadId, namespace, checkpointId, parentId, baseId, step, createdAtMs, metadata, changes };
}

/** A copy of what a task left that shares nothing with it. @throws `invalid_request` */
export function copyTask({ taskId, writes, control }: TaskWrites): TaskWrites {
  checkText(taskId, "taskId");
  if (writes !== undefined && !Array.isArray(writes)) throw invalidArgument("writes", "an array is expected");
  if (writes === undefined && control === undefined) throw invalidArgument("writes", "writes or control are expected");
  return {
    taskId,
    ...(writes === undefined ? {} : { writes: copyStoredJson(writes, "writes") as NonNullable<TaskWrites["writes"]> }),
    ...(control === undefined ? {} : { control: copyObject(control, "control") }),
  };
}

/** @throws `invalid_request` unless it names a lineage. */
export function checkThread(thread: CheckpointThread, place = ""): void {
  checkText(thread?.threadId, `${place}threadId`);
  if (typeof thread.namespace !== "string") throw invalidArgument(`${place}namespace`, "a text is expected");
}

/** @throws `invalid_request` unless it is a text that is not empty. */
export function checkText(value: string | undefined, place: string): void {
  if (typeof value !== "string" || value === "") throw invalidArgument(place, "a text that is not empty is expected");
}

function copyObject(value: JsonObject, place: string): JsonObject {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw invalidArgument(place, "an object is expected");
  return copyStoredJson(value, place) as JsonObject;
}
