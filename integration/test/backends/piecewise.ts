import type { Store, StoreOperation, StoreVersion } from "@tinyagents/core";

/**
 * A store whose batches are written one by one, so that what fails in the middle leaves the writes before it: what backends
 * without atomic batches do.
 */
export function piecewise(store: Store): Store {
  return {
    capabilities: { ...store.capabilities, atomicBatch: false },
    get: (key, options) => store.get(key, options),
    put: (key, value, options) => store.put(key, value, options),
    delete: (key, options) => store.delete(key, options),
    list: (query, options) => store.list(query, options),
    async batch(operations, options) {
      const versions: (StoreVersion | undefined)[] = [];
      for (const operation of operations) versions.push(await write(store, operation, options));
      return versions;
    },
  };
}

async function write(
  store: Store,
  operation: StoreOperation,
  call: Parameters<Store["batch"]>[1],
): Promise<StoreVersion | undefined> {
  if (operation.type === "put") return store.put(operation.key, operation.value, { ...operation.options, ...call });
  await store.delete(operation.key, { ...operation.options, ...call });
  return undefined;
}
