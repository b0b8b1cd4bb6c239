import {
  type CheckedPut,
  type CheckedWrite,
  type Clock,
  checkOptions,
  type FieldRule,
  optionRules,
  readBatch,
  readDelete,
  readPut,
  readStoreKey,
  recordName,
  type Store,
  type StoreCapabilities,
  type StoreGate,
  type StoreVersion,
  storeGate,
  storeKeyText,
  systemClock,
  writeConflict,
} from "@tinyagents/core";
import { KeyedRecords } from "./keyed-records.js";
import { listPage } from "./list.js";
import { type KeptRecord, snapshot } from "./record.js";

export interface MemoryStoreOptions {
  /** Where `ttlMs` and `updatedAtMs` take the time from. Default: real time. */
  readonly clock?: Clock | undefined;
}

/** A checked write, and the record that it leaves: absent for a delete. */
interface PlannedWrite {
  readonly id: string;
  readonly write: CheckedWrite;
  readonly record?: KeptRecord;
}

export const RULES: { readonly [Option in keyof MemoryStoreOptions]-?: FieldRule } = { clock: optionRules.clock };

const CAPABILITIES: StoreCapabilities = { durable: false, atomicBatch: true, multiProcess: false, ttl: true };

/**
 * Keyed records in this process's memory, gone when it ends. Everything is copied on its way in and out. Versions are
 * counted, so equal histories give equal versions.
 * @throws `TypeError` for options that cannot be.
 */
export function memoryStore(options: MemoryStoreOptions = {}): Store {
  checkOptions(options, RULES, "memoryStore: options");
  return storeBehind(storeGate("memory store"), options);
}

/** A store whose every call passes a gate. */
export function storeBehind(gate: StoreGate, { clock = systemClock }: MemoryStoreOptions): Store {
  const records = new KeyedRecords();
  let lastVersion = 0;

  const recordOf = ({ key, value, attributes, ttlMs }: CheckedPut): KeptRecord => {
    const nowMs = clock.now();
    return {
      key,
      id: storeKeyText(key),
      value,
      version: String(++lastVersion),
      attributes,
      updatedAtMs: nowMs,
      ...(ttlMs === undefined ? {} : { expiresAtMs: nowMs + ttlMs }),
    };
  };

  const plan = (write: CheckedWrite): PlannedWrite => {
    const id = storeKeyText(write.key);
    return write.type === "delete" ? { id, write } : { id, write, record: recordOf(write) };
  };

  /** Does all or, when a condition does not hold, nothing. Gives what each write replaced. */
  const commit = (writes: readonly PlannedWrite[]): readonly (KeptRecord | undefined)[] => {
    const nowMs = clock.now();
    const ahead = new Map<string, KeptRecord | undefined>();
    const replaced = writes.map(({ id, write, record }) => {
      const found = ahead.has(id) ? ahead.get(id) : records.get(id, nowMs);
      checkVersion(write, found);
      ahead.set(id, record);
      return found;
    });
    for (const { id, record } of writes) {
      if (record !== undefined) records.set(record, nowMs);
      else records.delete(id, nowMs);
    }
    return replaced;
  };

  return {
    capabilities: CAPABILITIES,
    async get(key, options) {
      gate.enter("get", options);
      const record = records.get(storeKeyText(readStoreKey(key)), clock.now());
      return record && snapshot(record);
    },
    async put(key, value, options) {
      gate.enter("put", options);
      const planned = plan(readPut(key, value, options, CAPABILITIES));
      commit([planned]);
      return planned.record?.version as StoreVersion;
    },
    async delete(key, options) {
      gate.enter("delete", options);
      return commit([plan(readDelete(key, options))])[0] !== undefined;
    },
    async list(query, options) {
      gate.enter("list", options);
      return listPage(records, query, clock.now());
    },
    async batch(operations, options) {
      gate.enter("batch", options);
      const planned = readBatch(operations, CAPABILITIES).map(plan);
      commit(planned);
      return planned.map(({ record }) => record?.version);
    },
  };
}

function checkVersion({ key, ifVersion }: CheckedWrite, found: KeptRecord | undefined): void {
  if (ifVersion === undefined) return;
  const version = found?.version ?? null;
  if (version !== ifVersion) throw writeConflict(recordName(key), ifVersion, version);
}
