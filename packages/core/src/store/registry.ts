import { TinyAgentsError } from "../errors.js";
import type { AppendStore } from "./append-store.js";
import { type KeyRedaction, observeStores, type StoreEvent } from "./observed.js";
import type { Store } from "./store.js";

/** The stores of a run, by what they are for. Each name has its own backend. */
export interface StoreRegistry {
  /** @throws `invalid_request` that lists the names there are. */
  store(namespace: string): Store;
  /** @throws `invalid_request` that lists the names there are. */
  log(namespace: string): AppendStore;
  /** Whether a store or a log of that name is there. */
  has(namespace: string): boolean;
  /** What events tell of keys. Absent: all of them, without what looks like a secret. */
  readonly redactKey?: KeyRedaction;
}

/** The stores that a registry binds, and who is told of what is done in them. */
export interface StoreRegistryOptions {
  readonly stores?: { readonly [namespace: string]: Store } | undefined;
  readonly logs?: { readonly [namespace: string]: AppendStore } | undefined;
  /** What events tell of keys, by namespace: the parts that may be seen. Where it throws, nothing of a key is told. */
  readonly redactKeys?: { readonly [namespace: string]: KeyRedaction } | undefined;
  /** Told of all that is done in the stores, whoever does it. What it throws is dropped. Absent: nothing is told, at no cost. */
  readonly onEvent?: ((event: StoreEvent) => void) | undefined;
}

/** Binds names to backends. Keyed stores and logs have names of their own kind. */
export function storeRegistry({
  stores = {},
  logs = {},
  redactKeys = {},
  onEvent,
}: StoreRegistryOptions): StoreRegistry {
  const registry: StoreRegistry = {
    store: (namespace) => lookUp(stores, namespace, "store"),
    log: (namespace) => lookUp(logs, namespace, "log"),
    has: (namespace) => Object.hasOwn(stores, namespace) || Object.hasOwn(logs, namespace),
    redactKey: (key, namespace) =>
      Object.hasOwn(redactKeys, namespace) ? (redactKeys[namespace]?.(key, namespace) ?? []) : key,
  };
  if (onEvent === undefined) return registry;
  const watched = observeStores(registry, onEvent);
  // Not the view itself: a run observes it once more, for its own sink.
  return { ...watched };
}

function lookUp<T>(bound: { readonly [namespace: string]: T }, namespace: string, kind: string): T {
  const found = Object.hasOwn(bound, namespace) ? bound[namespace] : undefined;
  if (found !== undefined) return found;
  const names = Object.keys(bound);
  throw new TinyAgentsError(
    "invalid_request",
    `There is no ${kind} named "${namespace}". ${names.length === 0 ? `No ${kind} is registered.` : `There are: ${names.join(", ")}.`}`,
    { details: { reason: "unknown_namespace" } },
  );
}
