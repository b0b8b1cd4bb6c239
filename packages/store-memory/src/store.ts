import {
  type Clock,
  type PutOptions,
  type Store,
  type StoreKey,
  type StoreOperation,
  type StoreValue,
  type StoreVersion,
  systemClock,
} from "@tinyagents/core";
import { type Gate, gate } from "./gate.js";
import { checkKey, idOf } from "./key.js";
import { KeyedRecords } from "./keyed-records.js";
import { listPage } from "./list.js";
import { copyAttributes, copyValue, type KeptRecord, resourceOf, snapshot } from "./record.js";
import { conflicting, refused } from "./refuse.js";

export interface MemoryStoreOptions {
  /** Where `ttlMs` and `updatedAtMs` take the time from. Default: real time. */
  readonly clock?: Clock | undefined;
}

/** One write of a batch, checked and copied. `record` absent: a delete. */
interface PlannedWrite {
  readonly id: string;
  readonly key: StoreKey;
  readonly record?: KeptRecord;
  /** `null`: there must be no record. Absent: whatever there is. */
  readonly ifVersion?: StoreVersion | null | undefined;
}

/**
 * Keyed records in this process's memory, gone when it ends. Everything is copied on its way in and out. Versions are
 * counted, so equal histories give equal versions.
 */
export function memoryStore(options: MemoryStoreOptions = {}): Store {
  return storeBehind(gate("memory store"), options);
}

/** A store whose every call passes a gate. */
export function storeBehind(gate: Gate, { clock = systemClock }: MemoryStoreOptions): Store {
  const records = new KeyedRecords();
  let lastVersion = 0;

  const planPut = (key: StoreKey, value: StoreValue, options: PutOptions = {}): PlannedWrite => {
    const checked = checkKey(key, "key");
    const nowMs = clock.now();
    const { ttlMs, ifVersion } = options;
    const record: KeptRecord = {
      key: checked,
      id: idOf(checked),
      value: copyValue(value),
      version: String(++lastVersion),
      attributes: copyAttributes(options.attributes ?? {}, "attributes"),
      updatedAtMs: nowMs,
      ...(ttlMs === undefined ? {} : { expiresAtMs: nowMs + checkTtl(ttlMs) }),
    };
    return { id: record.id, key: checked, record, ifVersion };
  };

  const planDelete = (key: StoreKey, ifVersion: StoreVersion | undefined): PlannedWrite => {
    const checked = checkKey(key, "key");
    return { id: idOf(checked), key: checked, ifVersion };
  };

  /** Does all or, when a condition does not hold, nothing. Gives what each write replaced. */
  const commit = (writes: readonly PlannedWrite[]): readonly (KeptRecord | undefined)[] => {
    const nowMs = clock.now();
    const ahead = new Map<string, KeptRecord | undefined>();
    const replaced = writes.map((write) => {
      const found = ahead.has(write.id) ? ahead.get(write.id) : records.get(write.id, nowMs);
      checkVersion(write, found);
      ahead.set(write.id, write.record);
      return found;
    });
    for (const { id, record } of writes) {
      if (record !== undefined) records.set(record, nowMs);
      else records.delete(id, nowMs);
    }
    return replaced;
  };

  const plan = (operation: StoreOperation): PlannedWrite => {
    if (operation?.type === "put") return planPut(operation.key, operation.value, operation.options);
    if (operation?.type === "delete") return planDelete(operation.key, operation.options?.ifVersion);
    throw refused("operations", "each must be a put or a delete");
  };

  return {
    capabilities: { durable: false, atomicBatch: true, multiProcess: false, ttl: true },
    async get(key, options) {
      gate.enter("get", options);
      const record = records.get(idOf(checkKey(key, "key")), clock.now());
      return record && snapshot(record);
    },
    async put(key, value, options) {
      gate.enter("put", options);
      const write = planPut(key, value, options);
      commit([write]);
      return write.record?.version as StoreVersion;
    },
    async delete(key, options) {
      gate.enter("delete", options);
      return commit([planDelete(key, options?.ifVersion)])[0] !== undefined;
    },
    async list(query, options) {
      gate.enter("list", options);
      return listPage(records, query, clock.now());
    },
    async batch(operations, options) {
      gate.enter("batch", options);
      if (!Array.isArray(operations)) throw refused("operations", "an array of puts and deletes is expected");
      const writes = operations.map(plan);
      commit(writes);
      return writes.map(({ record }) => record?.version);
    },
  };
}

function checkVersion({ key, ifVersion }: PlannedWrite, found: KeptRecord | undefined): void {
  if (ifVersion === undefined) return;
  const version = found?.version ?? null;
  if (version !== ifVersion) throw conflicting(resourceOf(key), ifVersion, version);
}

function checkTtl(ttlMs: number): number {
  if (Number.isFinite(ttlMs) && ttlMs > 0) return ttlMs;
  throw refused("ttlMs", `a number of milliseconds above 0 is expected, ${String(ttlMs)} given`);
}
