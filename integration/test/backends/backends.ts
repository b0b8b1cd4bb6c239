import type { AppendStore, StorageBackend, Store } from "@tinyagents/core";
import { memoryBackend } from "@tinyagents/store-memory";

/** A backend with both kinds of store. */
export interface OpenBackend extends StorageBackend {
  readonly store: Store;
  readonly log: AppendStore;
}

/** A place of its own for one test, which may be opened again and again. */
export interface BackendPlace {
  /** Opens the place, as a new process would. Whoever opens closes. */
  open(): Promise<OpenBackend>;
  /** Takes the place away. */
  remove(): Promise<void>;
}

/** A backend that what is built on stores is tested over. */
export interface TestedBackend {
  readonly name: string;
  /** What was written is there when the place is opened again. */
  readonly durable: boolean;
  /** Why it cannot be tested here; absent: it can. */
  readonly skip?: string;
  place(): Promise<BackendPlace>;
}

const memory: TestedBackend = {
  name: "memory",
  durable: false,
  async place() {
    const backend = memoryBackend();
    return { open: async () => ({ ...backend, close: async () => {} }), remove: () => backend.close() };
  },
};

/** Every backend, and why those that cannot be tested here cannot. */
export const backends: readonly TestedBackend[] = [memory];
