import { type Store, type StoreRecord, type StoreRegistry, storeRegistry, TinyAgentsError } from "@tinyagents/core";

/** Keyed records in this process, as far as artifacts need them. */
export interface ValueStore {
  readonly stores: StoreRegistry;
  /** By the key's names, joined with `/`. */
  readonly records: ReadonlyMap<string, StoreRecord>;
}

/** A registry with one store. `failing`: every write fails. */
export function valueStore({ namespace = "artifacts", failing = false } = {}): ValueStore {
  const records = new Map<string, StoreRecord>();
  const unsupported = (): never => {
    throw new Error("this store only puts and gets");
  };
  const store: Store = {
    capabilities: { durable: false, atomicBatch: false, multiProcess: false, ttl: false },
    async get(key) {
      const record = records.get(key.join("/"));
      return record?.key.length === key.length ? record : undefined;
    },
    async put(key, value, options) {
      if (failing) {
        throw new TinyAgentsError("store_failed", "The disk is full.", {
          details: { store: namespace, operation: "put" },
        });
      }
      await Promise.resolve();
      const version = String(records.size + 1);
      records.set(key.join("/"), { key, value, version, attributes: options?.attributes ?? {}, updatedAtMs: 0 });
      return version;
    },
    delete: unsupported,
    list: unsupported,
    batch: unsupported,
  };
  return { stores: storeRegistry({ stores: { [namespace]: store } }), records };
}
