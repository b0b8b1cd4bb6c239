import { TinyAgentsError } from "../errors.js";
import type { AppendStore } from "./append-store.js";
import type { Store } from "./store.js";

/** The stores of a run, by what they are for. Each name has its own backend. */
export interface StoreRegistry {
  /** @throws `invalid_request` that lists the names there are. */
  store(namespace: string): Store;
  /** @throws `invalid_request` that lists the names there are. */
  log(namespace: string): AppendStore;
  /** Whether a store or a log of that name is there. */
  has(namespace: string): boolean;
}

/** Binds names to backends. Keyed stores and logs have names of their own kind. */
export function storeRegistry({
  stores = {},
  logs = {},
}: {
  readonly stores?: { readonly [namespace: string]: Store };
  readonly logs?: { readonly [namespace: string]: AppendStore };
}): StoreRegistry {
  return {
    store: (namespace) => lookUp(stores, namespace, "store"),
    log: (namespace) => lookUp(logs, namespace, "log"),
    has: (namespace) => Object.hasOwn(stores, namespace) || Object.hasOwn(logs, namespace),
  };
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
