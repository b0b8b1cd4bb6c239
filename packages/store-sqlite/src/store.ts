import {
  type CheckedPut,
  type CheckedWrite,
  type Clock,
  readBatch,
  readDelete,
  readListQuery,
  readPut,
  readStoreKey,
  recordName,
  type Store,
  type StoreCapabilities,
  type StoreGate,
  type StoreVersion,
  storeKeyBytes,
  writeConflict,
} from "@tinyagents/core";
import type { Connection } from "./connection.js";
import { pageReader } from "./list.js";
import { attributesColumn, RECORD_COLUMNS, readRecord, valueColumns } from "./record-row.js";
import type { Tables } from "./schema.js";
import { termIndex } from "./terms.js";

/** How many expired records a write that sets a time takes away: more than it adds, so that they cannot pile up. */
const SWEPT_AT_ONCE = 16;

/** A write as the statements take it. */
interface PlannedWrite {
  readonly write: CheckedWrite;
  readonly key: Uint8Array;
  /** Absent: the record is deleted. */
  readonly put?: {
    readonly value: ReturnType<typeof valueColumns>;
    readonly attributes: string | null;
    readonly version: StoreVersion;
    readonly ttlMs: number | undefined;
  };
}

/** Keyed records in one table, in the order of their keys. */
export function storeBehind(gate: StoreGate, connection: Connection, tables: Tables, clock: Clock): Store {
  const { records } = tables;
  const { prepare } = connection;
  const capabilities: StoreCapabilities = {
    durable: connection.durable,
    multiProcess: connection.file !== undefined,
    atomicBatch: true,
    ttl: true,
  };
  const readPage = pageReader(connection, tables);
  const terms = termIndex(connection, tables);
  const nextVersion = versions();
  const select = prepare(
    `select ${RECORD_COLUMNS} from ${records} r where r.key = ? and (r.expires_at_ms is null or r.expires_at_ms > ?)`,
  );
  const find = prepare(`select id, version, attributes, expires_at_ms from ${records} where key = ?`);
  const insert = prepare(
    `insert into ${records} (kind, value, version, attributes, updated_at_ms, expires_at_ms, key) values (?, ?, ?, ?, ?, ?, ?)`,
  );
  const update = prepare(
    `update ${records} set kind = ?, value = ?, version = ?, attributes = ?, updated_at_ms = ?, expires_at_ms = ? where id = ?`,
  );
  const remove = prepare(`delete from ${records} where id = ?`);
  const expired = prepare(
    `select id, key, attributes from ${records} where expires_at_ms <= ? order by expires_at_ms limit ${SWEPT_AT_ONCE}`,
  );

  const plan = (write: CheckedWrite): PlannedWrite => {
    const key = storeKeyBytes(write.key);
    return write.type === "delete" ? { write, key } : { write, key, put: planPut(write) };
  };
  const planPut = ({ value, attributes, ttlMs }: CheckedPut): NonNullable<PlannedWrite["put"]> => ({
    value: valueColumns(value),
    attributes: attributesColumn(attributes),
    version: nextVersion(),
    ttlMs,
  });

  /** Does one write, and gives whether there was a record before. Part of a transaction. */
  const execute = ({ write, key, put }: PlannedWrite, nowMs: number): boolean => {
    const row = find.get(key);
    const isAlive = row !== undefined && (row.expires_at_ms === null || Number(row.expires_at_ms) > nowMs);
    checkVersion(write, isAlive ? (row.version as StoreVersion) : null);
    const before = (row?.attributes ?? null) as string | null;
    terms.replace(key, before, put?.attributes ?? null);
    if (put !== undefined) {
      const expiresAtMs = put.ttlMs === undefined ? null : nowMs + put.ttlMs;
      const columns = [...put.value, put.version, put.attributes, nowMs, expiresAtMs];
      if (row === undefined) insert.run(...columns, key);
      else update.run(...columns, row.id as number);
    } else if (row !== undefined) remove.run(row.id as number);
    return isAlive;
  };

  const sweep = (nowMs: number): void => {
    for (const { id, key, attributes } of expired.all(nowMs)) {
      terms.replace(key as Uint8Array, attributes as string | null, null);
      remove.run(id as number);
    }
  };

  const commit = (planned: readonly PlannedWrite[], signal: AbortSignal | undefined): Promise<readonly boolean[]> =>
    connection.write(() => {
      const nowMs = clock.now();
      const found = planned.map((write) => execute(write, nowMs));
      if (planned.some(({ put }) => put?.ttlMs !== undefined)) sweep(nowMs);
      return found;
    }, signal);

  return {
    capabilities,
    get: (key, options) =>
      gate.run("get", options, async () => {
        const bytes = storeKeyBytes(readStoreKey(key));
        const row = await connection.read(() => select.get(bytes, clock.now()), options?.signal);
        return row && readRecord(row, records);
      }),
    put: (key, value, options) =>
      gate.run("put", options, async () => {
        const planned = plan(readPut(key, value, options, capabilities));
        await commit([planned], options?.signal);
        return planned.put?.version as StoreVersion;
      }),
    delete: (key, options) =>
      gate.run("delete", options, async () => {
        const [wasThere] = await commit([plan(readDelete(key, options))], options?.signal);
        return wasThere === true;
      }),
    list: (query, options) =>
      gate.run("list", options, () => readPage(readListQuery(query), clock.now(), options?.signal)),
    batch: (operations, options) =>
      gate.run("batch", options, async () => {
        const planned = readBatch(operations, capabilities).map(plan);
        if (planned.length > 0) await commit(planned, options?.signal);
        return planned.map(({ put }) => put?.version);
      }),
  };
}

/** Versions that no other opened store gives: by chance its own, and counted from there. */
function versions(): () => StoreVersion {
  const own = crypto.randomUUID().replaceAll("-", "").slice(0, 20);
  let count = 0;
  return () => `${own}.${(++count).toString(36)}`;
}

function checkVersion({ key, ifVersion }: CheckedWrite, found: StoreVersion | null): void {
  if (ifVersion !== undefined && ifVersion !== found) throw writeConflict(recordName(key), ifVersion, found);
}
