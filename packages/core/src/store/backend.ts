import type { AppendStore } from "./append-store.js";
import type { Store } from "./store.js";

/**
 * The stores of one backend, and what they hold on to: connections, files, locks. Whoever opened it closes it; those
 * who are handed a store of it cannot.
 */
export interface StorageBackend {
  /** Absent where the backend has no keyed records. */
  readonly store?: Store;
  /** Absent where the backend has no logs. */
  readonly log?: AppendStore;
  /**
   * Lets the calls under way end, then lets go. Closing twice is as closing once. Afterwards every call of its stores
   * throws `store_failed`.
   */
  close(): Promise<void>;
}
