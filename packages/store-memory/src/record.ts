import {
  copyStoreValue,
  type StoreAttributes,
  type StoreKey,
  type StoreRecord,
  type StoreValue,
  type StoreVersion,
} from "@tinyagents/core";

/** A record as it is kept. Never changed and never handed out: callers get a {@link snapshot}. */
export interface KeptRecord {
  readonly key: StoreKey;
  /** The key as one text, see `storeKeyText`. */
  readonly id: string;
  readonly value: StoreValue;
  readonly version: StoreVersion;
  readonly attributes: StoreAttributes;
  readonly updatedAtMs: number;
  /** From this time on the record is gone; absent: never. */
  readonly expiresAtMs?: number;
}

/** A record that shares nothing with the one that is kept. */
export function snapshot(record: KeptRecord): StoreRecord {
  return {
    key: [...record.key],
    value: copyStoreValue(record.value),
    version: record.version,
    attributes: { ...record.attributes },
    updatedAtMs: record.updatedAtMs,
  };
}
