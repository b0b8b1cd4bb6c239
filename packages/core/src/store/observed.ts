import { type ErrorCode, isTinyAgentsError } from "../errors.js";
import { REDACTED, redactText } from "../redact.js";
import type { AppendStore } from "./append-store.js";
import type { StoreRegistry } from "./registry.js";
import type { Store, StoreKey, StoreOperation } from "./store.js";

/** Where something was done in a store of a run. Values are never told. */
export interface StoreAccess {
  /** As the registry names the store. */
  readonly namespace: string;
  readonly kind: "store" | "log";
  /** The method: `get`, `append`. */
  readonly operation: string;
  /** The key, or the prefix of a listing; of a log, the name of the stream. Without secrets. */
  readonly key: readonly string[];
}

/** What was done, by its kind. `store.error`: it was tried, and failed. */
export interface StoreEventData {
  "store.read": StoreAccess;
  "store.write": StoreAccess;
  "store.append": StoreAccess;
  "store.delete": StoreAccess;
  /** `code`: of the error, where it has one. Messages of stores quote keys. */
  "store.error": StoreAccess & { readonly code?: ErrorCode };
}

/** What was done in a store, for who watches a registry. */
export type StoreEvent = {
  [T in keyof StoreEventData]: { readonly type: T; readonly data: StoreEventData[T] };
}[keyof StoreEventData];

/** What is told of a key: the parts that may be seen. */
export type KeyRedaction = (key: readonly string[], namespace: string) => readonly string[];

/** The stores that a view observes, so that they are not observed twice. */
const observed = new WeakMap<StoreRegistry, StoreRegistry>();

/**
 * The stores of a registry, which tell what is done in them once it is done. Keys are told as the registry's `redactKey` has
 * them; where that fails, nothing of them is. What `tell` throws is dropped. A view of a view observes what that observes.
 */
export function observeStores(registry: StoreRegistry, tell: (event: StoreEvent) => void): StoreRegistry {
  const source = observed.get(registry) ?? registry;
  const stores = new Map<string, Store>();
  const logs = new Map<string, AppendStore>();
  const telling = (namespace: string, kind: StoreAccess["kind"]): Telling =>
    new Telling(namespace, kind, source.redactKey, tell);
  const view: StoreRegistry = {
    store(namespace) {
      const store = stores.get(namespace) ?? observedStore(source.store(namespace), telling(namespace, "store"));
      stores.set(namespace, store);
      return store;
    },
    log(namespace) {
      const log = logs.get(namespace) ?? observedLog(source.log(namespace), telling(namespace, "log"));
      logs.set(namespace, log);
      return log;
    },
    has: (namespace) => source.has(namespace),
    ...(source.redactKey === undefined ? {} : { redactKey: source.redactKey }),
  };
  observed.set(view, source);
  return view;
}

/** One thing that a call does. */
interface Done {
  readonly type: Exclude<keyof StoreEventData, "store.error">;
  readonly key: StoreKey;
}

/** Tells what is done in one store. */
class Telling {
  readonly #namespace: string;
  readonly #kind: StoreAccess["kind"];
  readonly #redactKey: KeyRedaction;
  readonly #tell: (event: StoreEvent) => void;

  constructor(
    namespace: string,
    kind: StoreAccess["kind"],
    redactKey: KeyRedaction | undefined,
    tell: (event: StoreEvent) => void,
  ) {
    this.#namespace = namespace;
    this.#kind = kind;
    this.#redactKey = redactKey ?? ((key) => key);
    this.#tell = tell;
  }

  async during<T>(operation: string, done: readonly Done[], work: () => Promise<T>): Promise<T> {
    // Arguments may be changed by the time that the work is done.
    const accesses = done.map(({ type, key }) => ({ type, data: this.#access(operation, key) }));
    try {
      const result = await work();
      for (const event of accesses) this.#emit(event);
      return result;
    } catch (error) {
      const code = isTinyAgentsError(error) ? { code: error.code } : {};
      for (const { data } of accesses) this.#emit({ type: "store.error", data: { ...data, ...code } });
      throw error;
    }
  }

  #access(operation: string, key: StoreKey): StoreAccess {
    return { namespace: this.#namespace, kind: this.#kind, operation, key: this.#cleanKey(key) };
  }

  #cleanKey(key: StoreKey): readonly string[] {
    try {
      return this.#redactKey([...key], this.#namespace).map((name) => redactText(name));
    } catch {
      return [REDACTED];
    }
  }

  #emit(event: StoreEvent): void {
    try {
      this.#tell(event);
    } catch {
      // A watcher's failure is its own.
    }
  }
}

function observedStore(store: Store, telling: Telling): Store {
  return {
    capabilities: store.capabilities,
    get: (key, options) => telling.during("get", [{ type: "store.read", key }], () => store.get(key, options)),
    put: (key, value, options) =>
      telling.during("put", [{ type: "store.write", key }], () => store.put(key, value, options)),
    delete: (key, options) =>
      telling.during("delete", [{ type: "store.delete", key }], () => store.delete(key, options)),
    list: (query, options) =>
      telling.during("list", [{ type: "store.read", key: query?.prefix }], () => store.list(query, options)),
    batch: (operations, options) =>
      telling.during("batch", Array.isArray(operations) ? operations.map(doneBy) : [], () =>
        store.batch(operations, options),
      ),
  };
}

function doneBy(operation: StoreOperation): Done {
  return { type: operation?.type === "delete" ? "store.delete" : "store.write", key: operation?.key };
}

function observedLog(log: AppendStore, telling: Telling): AppendStore {
  const { watch } = log;
  return {
    capabilities: log.capabilities,
    append: (stream, values, options) =>
      telling.during("append", [{ type: "store.append", key: [stream] }], () => log.append(stream, values, options)),
    read: (stream, range) =>
      telling.during("read", [{ type: "store.read", key: [stream] }], () => log.read(stream, range)),
    head: (stream, options) =>
      telling.during("head", [{ type: "store.read", key: [stream] }], () => log.head(stream, options)),
    offsetOf: (stream, key, options) =>
      telling.during("offsetOf", [{ type: "store.read", key: [stream] }], () => log.offsetOf(stream, key, options)),
    truncate: (stream, options) =>
      telling.during("truncate", [{ type: "store.delete", key: [stream] }], () => log.truncate(stream, options)),
    streams: (prefix, range) =>
      telling.during("streams", [{ type: "store.read", key: prefix === undefined ? [] : [prefix] }], () =>
        log.streams(prefix, range),
      ),
    delete: (stream, options) =>
      telling.during("delete", [{ type: "store.delete", key: [stream] }], () => log.delete(stream, options)),
    ...(watch === undefined
      ? {}
      : { watch: (stream, onAppend, options) => watch.call(log, stream, onAppend, options) }),
  };
}
