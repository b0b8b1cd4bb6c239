import {
  type CheckedDelete,
  type CheckedPut,
  type Clock,
  readBatch,
  readDelete,
  readPut,
  readStoreKey,
  recordName,
  type Store,
  type StoreCapabilities,
  type StoreGate,
  type StoreKey,
  type StoreVersion,
  storeKeyBytes,
  writeConflict,
} from "@tinyagents/core";
import { writeBatch } from "./batch.js";
import type { Database, Row } from "./database.js";
import { listPage } from "./list.js";
import { recordOf, recordValues } from "./record.js";
import type { RecordStatements } from "./record-statements.js";

/** What the parts of a store share. */
export interface StoreContext {
  readonly database: Database;
  readonly statements: RecordStatements;
  readonly namespace: string;
  /** As the rows have it. */
  readonly owner: Uint8Array;
  readonly clock: Clock;
}

const CAPABILITIES: StoreCapabilities = { durable: true, atomicBatch: true, multiProcess: true, ttl: true };

/** Records that expire are cleared away with one write of so many that set an expiry, at most so many at a time. */
const SWEEP_EVERY = 64;
const SWEEP_MOST = 256;

/** Keyed records whose every call passes a gate. */
export function storeBehind(gate: StoreGate, context: StoreContext): Store {
  const { database, statements, owner, clock } = context;
  const sweep = sweeper(context);

  const put = async (write: CheckedPut, signal: AbortSignal | undefined): Promise<StoreVersion> => {
    const nowMs = clock.now();
    const values = [owner, ...recordValues(write, context.namespace, nowMs)];
    await sweep(write.ttlMs !== undefined, signal);
    for (;;) {
      const [row] = await writeOne(write, values, nowMs, signal);
      if (row?.version != null) return row.version;
      const found = await versionIn(write, nowMs, signal);
      // Created and taken away again since it was in the way: now there is nothing, as it has to be.
      if (found !== (write.ifVersion ?? null))
        throw writeConflict(recordName(write.key), write.ifVersion ?? null, found);
    }
  };
  const writeOne = (
    { ifVersion }: CheckedPut,
    values: readonly unknown[],
    nowMs: number,
    signal: AbortSignal | undefined,
  ): Promise<readonly Row[]> => {
    if (ifVersion === undefined) return database.query(statements.put, values, signal);
    if (ifVersion === null) return database.query(statements.create, [...values, nowMs], signal);
    return database.query(statements.replace, [...values, nowMs, asVersion(ifVersion)], signal);
  };
  const remove = async ({ key, ifVersion }: CheckedDelete, signal: AbortSignal | undefined): Promise<boolean> => {
    const nowMs = clock.now();
    const at = [owner, storeKeyBytes(key), nowMs];
    if (ifVersion === undefined) return (await database.query(statements.delete, at, signal))[0]?.alive === "true";
    const taken = await database.query(statements.deleteVersion, [...at, asVersion(ifVersion)], signal);
    if (taken.length > 0) return true;
    throw writeConflict(recordName(key), ifVersion, await versionIn({ key }, nowMs, signal));
  };
  const rowOf = async (key: StoreKey, nowMs: number, signal: AbortSignal | undefined): Promise<Row | undefined> =>
    (await database.query(statements.get, [owner, storeKeyBytes(key), nowMs], signal))[0];
  const versionIn = async (
    { key }: Pick<CheckedPut, "key">,
    nowMs: number,
    signal: AbortSignal | undefined,
  ): Promise<StoreVersion | null> => (await rowOf(key, nowMs, signal))?.version ?? null;

  return {
    capabilities: CAPABILITIES,
    get: (key, options) =>
      gate.run("get", options, async () => {
        const row = await rowOf(readStoreKey(key), clock.now(), options?.signal);
        return row && recordOf(row);
      }),
    put: (key, value, options) =>
      gate.run("put", options, () => put(readPut(key, value, options, CAPABILITIES), options?.signal)),
    delete: (key, options) => gate.run("delete", options, () => remove(readDelete(key, options), options?.signal)),
    list: (query, options) => gate.run("list", options, () => listPage(context, query, options?.signal)),
    batch: (operations, options) =>
      gate.run("batch", options, async () => {
        const writes = readBatch(operations, CAPABILITIES);
        return writeBatch(context, writes, sweep, options?.signal);
      }),
  };
}

/** Clears away what has expired in this namespace, now and then; a failure is that of the write it comes with. */
export type Sweep = (setsExpiry: boolean, signal: AbortSignal | undefined) => Promise<void>;

function sweeper({ database, statements, owner, clock }: StoreContext): Sweep {
  let written = 0;
  return async (setsExpiry, signal) => {
    if (!setsExpiry || written++ % SWEEP_EVERY !== 0) return;
    await database.query(statements.sweep, [owner, clock.now(), SWEEP_MOST], signal);
  };
}

/** A version as the database compares it; nothing for a text that is none of ours, which no record has. */
function asVersion(version: StoreVersion): string | null {
  return /^[1-9]\d{0,17}$/.test(version) ? version : null;
}
