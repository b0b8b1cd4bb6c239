import {
  type CheckedPut,
  type Clock,
  checkOptions,
  isTinyAgentsError,
  readBatch,
  readPut,
  type Store,
  type StoreCallOptions,
  type StoreKey,
  type StoreOperation,
  type StoreRecord,
  systemClock,
  throwIfAborted,
} from "@tinyagents/core";
import { rules } from "../option-rules.js";
import { type EncryptionKeys, KEY_RULES, KeyRing } from "./key-ring.js";
import { openRecord, sealValue } from "./sealed-record.js";

export interface EncryptedStoreOptions extends EncryptionKeys {
  /** What `ttlMs` counts from. Default: real time. It should be the clock of the store below. */
  readonly clock?: Clock | undefined;
}

/** Which records to encrypt anew, and where to go on. */
export interface ReencryptOptions extends StoreCallOptions {
  readonly prefix: StoreKey;
  /** Where an earlier call has stopped. */
  readonly cursor?: string | undefined;
  /** At most so many records are looked at. Default 100. */
  readonly limit?: number | undefined;
}

export interface ReencryptResult {
  /** How many records were written anew. */
  readonly written: number;
  /** Absent when all have been looked at. */
  readonly cursor?: string;
}

/** A store whose values are encrypted where it keeps them. */
export interface EncryptedStore extends Store {
  /**
   * Writes some records that are encrypted by another key by the current one. Records that somebody else writes meanwhile are
   * left to them. Once it has been through all, the other keys are needed no more.
   */
  reencrypt(options: ReencryptOptions): Promise<ReencryptResult>;
}

/**
 * Values are encrypted (AES-256-GCM) on their way into a store, bound to the key and the attributes of their record: one
 * that was changed, or moved to another key, is `corrupt_data`. Keys, attributes, sizes and times are not encrypted.
 * @throws `TypeError` for keys and options that cannot be.
 */
export function encryptedStore(store: Store, options: EncryptedStoreOptions): EncryptedStore {
  checkOptions(options, { ...KEY_RULES, clock: rules.clock }, "encryptedStore: options");
  const { clock = systemClock } = options;
  const ring = new KeyRing(options, "encryptedStore");
  const { capabilities } = store;

  const opened = async (record: StoreRecord): Promise<StoreRecord> => ({
    ...record,
    value: (await openRecord(ring, record)).value,
  });
  const sealed = async ({ key, value, attributes, ifVersion, ttlMs }: CheckedPut) => {
    const expiry = ttlMs === undefined ? {} : { expiresAtMs: clock.now() + ttlMs };
    return {
      type: "put",
      key,
      value: await sealValue(ring, key, attributes, { value, ...expiry }),
      options: { attributes, ifVersion, ttlMs },
    } as const;
  };

  return {
    capabilities,
    async get(key, options) {
      const record = await store.get(key, options);
      return record && opened(record);
    },
    async put(key, value, options) {
      throwIfAborted(options?.signal);
      const put = await sealed(readPut(key, value, options, capabilities));
      return store.put(put.key, put.value, { ...put.options, signal: options?.signal });
    },
    delete: (key, options) => store.delete(key, options),
    async list(query, options) {
      const page = await store.list(query, options);
      return { ...page, items: await Promise.all(page.items.map(opened)) };
    },
    async batch(operations, options) {
      throwIfAborted(options?.signal);
      const writes = readBatch(operations, capabilities).map(async (write): Promise<StoreOperation> => {
        if (write.type === "put") return sealed(write);
        const { key, ifVersion } = write;
        return { type: "delete", key, options: { ifVersion } };
      });
      return store.batch(await Promise.all(writes), options);
    },
    async reencrypt({ prefix, cursor, limit, signal }) {
      const page = await store.list({ prefix, cursor, limit }, { signal });
      let written = 0;
      for (const record of page.items) if (await renew(record, signal)) written++;
      return { written, ...(page.cursor === undefined ? {} : { cursor: page.cursor }) };
    },
  };

  /** Whether the record was written anew: it was by another key, and nobody else has written it meanwhile. */
  async function renew(record: StoreRecord, signal: AbortSignal | undefined): Promise<boolean> {
    const { keyId, value, expiresAtMs } = await openRecord(ring, record);
    const ttlMs = expiresAtMs === undefined ? undefined : expiresAtMs - clock.now();
    if (keyId === ring.currentKeyId || (ttlMs !== undefined && ttlMs <= 0)) return false;
    const { key, attributes, version } = record;
    const expiry = expiresAtMs === undefined ? {} : { expiresAtMs };
    const renewed = await sealValue(ring, key, attributes, { value, ...expiry });
    try {
      await store.put(key, renewed, { attributes, ifVersion: version, ttlMs, signal });
      return true;
    } catch (error) {
      if (isTinyAgentsError(error, "conflict")) return false;
      throw error;
    }
  }
}
