import { type AppendStore, checkOptions, type StorageBackend, type Store, storeGate } from "@tinyagents/core";
import { appendStoreBehind } from "./append-store.js";
import { type MemoryStoreOptions, RULES, storeBehind } from "./store.js";
import { newWatchers } from "./watchers.js";

/** Keyed records and logs in memory, closed together. */
export interface MemoryBackend extends StorageBackend {
  readonly store: Store;
  readonly log: AppendStore;
}

/**
 * Both kinds of store as one backend, to stand in for one that has to be closed.
 * @throws `TypeError` for options that cannot be.
 */
export function memoryBackend(options: MemoryStoreOptions = {}): MemoryBackend {
  checkOptions(options, RULES, "memoryBackend: options");
  const store = storeGate("memory store");
  const log = storeGate("memory log");
  const watchers = newWatchers();
  return {
    store: storeBehind(store, options),
    log: appendStoreBehind(log, watchers),
    async close() {
      await Promise.all([store.close(), log.close(() => watchers.close())]);
    },
  };
}
