import { type CheckedWrite, recordName, type StoreVersion, storeKeyBytes, writeConflict } from "@tinyagents/core";
import type { Query } from "./database.js";
import { recordValues } from "./record.js";
import type { StoreContext, Sweep } from "./store.js";
import { checkSize } from "./values.js";

/** One write of a batch, and where it goes. */
interface PlannedWrite {
  readonly write: CheckedWrite;
  readonly id: string;
  readonly key: Uint8Array;
  /** What is written; nothing for a delete. */
  readonly values?: unknown[];
}

/** So many records are written by one statement, which may have 65,535 values. */
const ROWS_PER_STATEMENT = 500;

/**
 * Several writes in one transaction. What is there of their records is locked first, in the order of keys, as every batch
 * does it, so that none waits for one that waits for it; then the batch is decided here, and written as what it comes to.
 */
export async function writeBatch(
  context: StoreContext,
  writes: readonly CheckedWrite[],
  sweep: Sweep,
  signal: AbortSignal | undefined,
): Promise<readonly (StoreVersion | undefined)[]> {
  if (writes.length === 0) return [];
  const nowMs = context.clock.now();
  const planned = writes.map((write) => plan(write, context, nowMs));
  const sizes = planned.flatMap(({ values = [] }) => values.map(sizeOf));
  checkSize(
    sizes.reduce((sum, size) => sum + size, 0),
    "operations",
  );
  await sweep(
    writes.some((write) => write.type === "put" && write.ttlMs !== undefined),
    signal,
  );
  return context.database.transaction(signal, (query) => writeAll(context, planned, nowMs, query));
}

/** Somebody created a record that was not there when the batch looked. It looks again, as after a failure of that code. */
class Overtaken extends Error {
  readonly code = "40001";
}

function plan(write: CheckedWrite, { namespace }: StoreContext, nowMs: number): PlannedWrite {
  const key = storeKeyBytes(write.key);
  const base = { write, key, id: Buffer.from(key).toString("hex") };
  return write.type === "delete" ? base : { ...base, values: recordValues(write, namespace, nowMs) };
}

function sizeOf(value: unknown): number {
  if (typeof value === "string") return Buffer.byteLength(value);
  return value instanceof Uint8Array ? value.length : 0;
}

async function writeAll(
  { statements, owner }: StoreContext,
  planned: readonly PlannedWrite[],
  nowMs: number,
  query: Query,
): Promise<readonly (StoreVersion | undefined)[]> {
  const keys = new Map(planned.map(({ id, key }) => [id, key]));
  const locked = await query(statements.lock, [owner, [...keys.values()]]);
  const puts = planned.filter(({ values }) => values !== undefined).length;
  const fresh = await query(statements.versions, [puts]);
  let used = 0;
  const versions = planned.map(({ values }) =>
    values === undefined ? undefined : (fresh[used++]?.version ?? undefined),
  );
  checkConditions(planned, versions, aliveIn(locked, nowMs));

  const lockedVersions = locked.map(({ version }) => version);
  const last = new Map(planned.map((one, index) => [one.id, { ...one, version: versions[index] }]));
  const writes = [...last.values()].sort((one, other) => Buffer.compare(one.key, other.key));
  const gone = writes.filter(({ values }) => values === undefined).map(({ key }) => key);
  if (gone.length > 0) await query(statements.deleteLocked, [owner, gone, lockedVersions]);
  const kept = writes.flatMap(({ values, version }) => (values === undefined ? [] : [[...values, version]]));
  for (let at = 0; at < kept.length; at += ROWS_PER_STATEMENT) {
    const rows = kept.slice(at, at + ROWS_PER_STATEMENT);
    const done = await query(statements.putLocked(rows.length), [owner, lockedVersions, ...rows.flat()]);
    if (done.length < rows.length) throw new Overtaken("records of the batch were created meanwhile");
  }
  return versions;
}

/** The versions that are there, by key: what has expired is not. */
function aliveIn(
  locked: readonly { readonly [column: string]: string | null }[],
  nowMs: number,
): Map<string, StoreVersion | null> {
  const isAlive = (at: string | null | undefined): boolean => at == null || Number(at) > nowMs;
  return new Map(
    locked.map(({ key, version, expires_at_ms }) => [String(key), isAlive(expires_at_ms) ? (version ?? null) : null]),
  );
}

/** Goes through the batch in order, each write seeing those before it. @throws `conflict` */
function checkConditions(
  planned: readonly PlannedWrite[],
  versions: readonly (StoreVersion | undefined)[],
  found: Map<string, StoreVersion | null>,
): void {
  for (const [index, { write, id }] of planned.entries()) {
    const version = found.get(id) ?? null;
    if (write.ifVersion !== undefined && write.ifVersion !== version)
      throw writeConflict(recordName(write.key), write.ifVersion, version);
    found.set(id, versions[index] ?? null);
  }
}
