import {
  type CheckpointRow,
  type CheckpointTerms,
  canonicalJson,
  invalidArgument,
  isTinyAgentsError,
  type JsonValue,
  type StoreCallOptions,
} from "@tinyagents/core";
import type { CheckpointEntry } from "./checkpoint-entry.js";
import { headMoved, lineageName, ownedByNewer } from "./conflicts.js";
import { type LineageEnd, wayTo } from "./lineage.js";
import type { LineageLog } from "./lineage-log.js";

/** Adds a checkpoint to its lineage, which makes it the head. */
export async function appendRow(
  entries: LineageLog,
  row: CheckpointRow,
  { expectedHead, fence }: Required<CheckpointTerms> & { readonly expectedHead: string | null; readonly fence: number },
  options: StoreCallOptions,
): Promise<void> {
  const decide = async (end: Readonly<LineageEnd>): Promise<readonly CheckpointEntry[]> => {
    const { head, next } = end;
    if (fence < end.fence) throw ownedByNewer(row, fence, end.fence);
    if (head?.row.checkpointId === row.checkpointId) {
      if (isSame(head.row, row)) return [];
      throw usedBefore(row);
    }
    const headId = head?.row.checkpointId ?? null;
    if (headId !== expectedHead) throw headMoved(row, expectedHead, headId);
    const baseAt = await placeOfBase(entries, row, end, options);
    return [{ v: 1, type: "checkpoint", headAt: next, baseAt, fence: end.fence, row }];
  };
  try {
    // The key keeps an id from being used twice, however long ago it was used first.
    await entries.write(decide, options, `checkpoint/${row.checkpointId}`);
  } catch (error) {
    if (isTinyAgentsError(error, "invalid_request") && error.details.reason?.startsWith("idempotencyKey"))
      throw usedBefore(row);
    throw error;
  }
}

/** Where the base of a new checkpoint stands. @throws `invalid_request` when its parent or its base is not there. */
async function placeOfBase(
  entries: LineageLog,
  row: CheckpointRow,
  { head, next }: Readonly<LineageEnd>,
  options: StoreCallOptions,
): Promise<number> {
  const { checkpointId, parentId, baseId } = row;
  if (parentId === null) return next;
  const parent = head?.row.checkpointId === parentId ? head : await entries.find(parentId, options);
  if (parent === undefined)
    throw invalidArgument("row.parentId", `there is no checkpoint "${parentId}" in ${lineageName(row)}`);
  if (baseId === checkpointId) return next;
  if (baseId === parent.row.baseId) return parent.baseAt;
  const way = wayTo(await entries.checkpoints(parent.baseAt, parent.headAt, options), parent, row);
  const base = way.find((entry) => entry.row.checkpointId === baseId);
  if (base !== undefined) return base.headAt;
  throw invalidArgument(
    "row.baseId",
    `checkpoint "${baseId}" is not between its parent "${parentId}" and the base of that`,
  );
}

function isSame(one: CheckpointRow, other: CheckpointRow): boolean {
  const text = (row: CheckpointRow): string => canonicalJson(row as unknown as JsonValue);
  return text(one) === text(other);
}

function usedBefore(row: CheckpointRow): Error {
  return invalidArgument(
    "row.checkpointId",
    `"${row.checkpointId}" was used before in ${lineageName(row)}; give each checkpoint an id of its own`,
  );
}
