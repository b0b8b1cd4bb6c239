import {
  type CheckpointRow,
  canonicalJson,
  invalidArgument,
  isTinyAgentsError,
  type JsonValue,
  type StoreCallOptions,
} from "@tinyagents/core";
import { type CheckpointEntry, checkpointKey } from "./checkpoint-entry.js";
import { beingCopied, headMoved, lineageName, ownedByNewer } from "./conflicts.js";
import { checkpointEntry, type Head, type LineageEnd, wayTo } from "./lineage.js";
import type { Decide, LineageLog } from "./lineage-log.js";

/** Adds a checkpoint to its lineage, which makes it the head. */
export async function appendRow(
  entries: LineageLog,
  row: CheckpointRow,
  { expectedHead, fence }: { readonly expectedHead: string | null; readonly fence: number },
  options: StoreCallOptions,
): Promise<void> {
  const decide: Decide = (end) => {
    const { head } = end;
    if (end.copying) throw beingCopied(row);
    if (fence < end.fence) throw ownedByNewer(row, fence, end.fence);
    if (head?.checkpointId === row.checkpointId) return nothingIfSame(entries, row, head, options);
    const headId = head?.checkpointId ?? null;
    if (headId !== expectedHead) throw headMoved(row, expectedHead, headId);
    const baseAt = baseAtEnd(row, end);
    if (baseAt !== undefined) return [checkpointEntry(end, row, baseAt)];
    return placeOfBase(entries, row, end, options).then((found) => [checkpointEntry(end, row, found)]);
  };
  try {
    await entries.write(decide, options, checkpointKey(row.checkpointId));
  } catch (error) {
    if (isTinyAgentsError(error, "invalid_request") && error.details.argument === "idempotencyKey")
      throw usedBefore(row);
    throw error;
  }
}

/** A checkpoint that is the head already is not added again. @throws `invalid_request` when the head is another with its id. */
async function nothingIfSame(
  entries: LineageLog,
  row: CheckpointRow,
  { headAt }: Head,
  options: StoreCallOptions,
): Promise<readonly []> {
  if (isSame((await entries.checkpointAt(headAt, options))?.row, row)) return [];
  throw usedBefore(row);
}

/** Where the base of a new checkpoint stands, if that follows from the end of the log alone. */
function baseAtEnd({ checkpointId, parentId, baseId }: CheckpointRow, { head, next }: Readonly<LineageEnd>) {
  if (parentId === null) return next;
  if (head?.checkpointId !== parentId) return undefined;
  if (baseId === checkpointId) return next;
  return baseId === head.baseId ? head.baseAt : undefined;
}

/** The same, if it has to be looked for. @throws `invalid_request` when its parent or its base is not there. */
async function placeOfBase(
  entries: LineageLog,
  row: CheckpointRow,
  { head, next }: Readonly<LineageEnd>,
  options: StoreCallOptions,
): Promise<number> {
  const { checkpointId, baseId } = row;
  const parentId = row.parentId as string;
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
  if (found === undefined) return undefined;
  const { row, headAt, baseAt } = found.entry;
  return { checkpointId, baseId: row.baseId, headAt, baseAt };
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
