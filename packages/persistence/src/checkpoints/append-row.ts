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
import { beingCopied, headMoved, lineageName, ownedByNewer } from "./conflicts.js";
import { type Head, type LineageEnd, placesOf, wayTo } from "./lineage.js";
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
    if (end.copying) throw beingCopied(row);
    if (fence < end.fence) throw ownedByNewer(row, fence, end.fence);
    if (head?.checkpointId === row.checkpointId) {
      if (isSame((await entries.checkpointAt(head.headAt, options))?.row, row)) return [];
      throw usedBefore(row);
    }
    const headId = head?.checkpointId ?? null;
    if (headId !== expectedHead) throw headMoved(row, expectedHead, headId);
    const baseAt = await placeOfBase(entries, row, end, options);
    return [{ ...placesOf(end), type: "checkpoint", headAt: next, baseAt, row }];
  };
  try {
    await entries.write(decide, options, keyOf(row));
  } catch (error) {
    if (isTinyAgentsError(error, "invalid_request") && error.details.argument === "idempotencyKey")
      throw usedBefore(row);
    throw error;
  }
}

/** The key of a checkpoint's entry: it keeps an id from being used twice, however long ago it was used first. */
export function keyOf({ checkpointId }: CheckpointRow): string {
  return `checkpoint/${checkpointId}`;
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
  const parent = head?.checkpointId === parentId ? head : await findHead(entries, parentId, options);
  if (parent === undefined)
    throw invalidArgument("row.parentId", `there is no checkpoint "${parentId}" in ${lineageName(row)}`);
  if (baseId === checkpointId) return next;
  if (baseId === parent.baseId) return parent.baseAt;
  const base = (await wayBack(entries, parent, row, options)).find((entry) => entry.row.checkpointId === baseId);
  if (base !== undefined) return base.headAt;
  throw invalidArgument(
    "row.baseId",
    `checkpoint "${baseId}" is not between its parent "${parentId}" and the base of that`,
  );
}

async function findHead(
  entries: LineageLog,
  checkpointId: string,
  options: StoreCallOptions,
): Promise<Head | undefined> {
  const found = await entries.find(checkpointId, options);
  return found && { checkpointId, baseId: found.row.baseId, headAt: found.headAt, baseAt: found.baseAt };
}

/** A checkpoint and what it comes from, back to its base. */
async function wayBack(
  entries: LineageLog,
  { headAt, baseAt }: Head,
  row: CheckpointRow,
  options: StoreCallOptions,
): Promise<readonly CheckpointEntry[]> {
  const between: CheckpointEntry[] = [];
  for await (const { offset, entry } of entries.from(baseAt, options)) {
    if (entry.type === "checkpoint") between.push(entry);
    if (offset === headAt) break;
  }
  const target = between.at(-1);
  return target?.headAt === headAt ? wayTo(between, target, row) : [];
}

function isSame(one: CheckpointRow | undefined, other: CheckpointRow): boolean {
  const text = (row: CheckpointRow): string => canonicalJson(row as unknown as JsonValue);
  return one !== undefined && text(one) === text(other);
}

function usedBefore(row: CheckpointRow): Error {
  return invalidArgument(
    "row.checkpointId",
    `"${row.checkpointId}" was used before in ${lineageName(row)}; give each checkpoint an id of its own`,
  );
}
