import {
  type Clock,
  copyAttributes,
  copyStoreValue,
  invalidArgument,
  readStoreKey,
  type Store,
  type StoreAttributes,
  type StoreCallOptions,
  type StoreKey,
  type StoreOperation,
  type StoreValue,
  type StoreVersion,
} from "@tinyagents/core";
import type { StoredContent } from "./describe.js";

/** What has to know of contents that come and go. */
export interface ContentWatcher {
  stored(content: StoredContent, options?: StoreCallOptions): Promise<void>;
  gone(key: StoreKey, options?: StoreCallOptions): Promise<void>;
}

/** A store whose writes are told to a watcher, each after it was done and before it resolves. */
export function watchedStore(content: Store, watcher: ContentWatcher, clock: Clock): Store {
  const tell = async (
    { key, value, attributes }: PutCopy,
    version: StoreVersion,
    options: StoreCallOptions | undefined,
  ): Promise<void> => watcher.stored({ key, value, attributes, version, atMs: clock.now() }, options);
  return {
    capabilities: { ...content.capabilities, ttl: false },
    get: (key, options) => content.get(key, options),
    list: (query, options) => content.list(query, options),
    async put(key, value, options) {
      const copy = copyOf(key, value, options);
      const version = await content.put(copy.key, copy.value, { ...options, attributes: copy.attributes });
      await tell(copy, version, { signal: options?.signal });
      return version;
    },
    async delete(key, options) {
      const copied = readStoreKey(key);
      const deleted = await content.delete(copied, options);
      await watcher.gone(copied, { signal: options?.signal });
      return deleted;
    },
    async batch(operations, options) {
      const copies = operations.map(copyOfOperation);
      const versions = await content.batch(copies, options);
      for (const [at, operation] of copies.entries()) {
        const version = versions[at];
        if (operation.type === "delete") await watcher.gone(operation.key, options);
        else if (version !== undefined)
          await tell(copyOf(operation.key, operation.value, operation.options), version, options);
      }
      return versions;
    },
  };
}

interface PutCopy {
  readonly key: StoreKey;
  readonly value: StoreValue;
  readonly attributes: StoreAttributes;
}

/** A copy, since what is told must be what was stored. @throws `invalid_request` also for a time to live. */
function copyOf(
  key: StoreKey,
  value: StoreValue,
  options: { readonly attributes?: StoreAttributes | undefined; readonly ttlMs?: number | undefined } = {},
): PutCopy {
  if (options.ttlMs !== undefined)
    throw invalidArgument("ttlMs", "artifacts do not expire; delete them, or leave it out");
  return { key: readStoreKey(key), value: copyStoreValue(value), attributes: copyAttributes(options.attributes ?? {}) };
}

function copyOfOperation(operation: StoreOperation): StoreOperation {
  if (operation?.type !== "put") return operation;
  const { key, value, attributes } = copyOf(operation.key, operation.value, operation.options);
  return { type: "put", key, value, options: { ...operation.options, attributes } };
}
