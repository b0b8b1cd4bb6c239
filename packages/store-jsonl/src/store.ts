import {
  type CheckedWrite,
  readBatch,
  readDelete,
  readListQuery,
  readPut,
  readStoreKey,
  type Store,
  type StoreCallOptions,
  type StoreCapabilities,
  type StoreGate,
  type StoreVersion,
  storeKeyText,
} from "@tinyagents/core";
import type { CommitQueue } from "./commit-queue.js";
import { type StoreFile, type StoreWrite, valueFieldsOf, type WriteResult } from "./store-file.js";

const CAPABILITIES: StoreCapabilities = { durable: true, multiProcess: true, atomicBatch: true, ttl: true };

/** What the keyed records of a folder are made of. */
export interface StoreParts {
  readonly gate: StoreGate;
  readonly queue: CommitQueue;
  readonly file: StoreFile;
  /** Resolves when the folders are there. */
  opened(): Promise<unknown>;
}

/** The keyed records of a folder, in one file. */
export function storeBehind({ gate, queue, file, opened }: StoreParts): Store {
  const write = (
    checked: readonly CheckedWrite[],
    options: StoreCallOptions | undefined,
  ): Promise<readonly WriteResult[]> => {
    const writes = checked.map(toWrite);
    const bytes = writes.reduce((sum, { valueFields }) => sum + valueFields.length, 0);
    return queue.submit(file, writes, { bytes, signal: options?.signal });
  };
  return {
    capabilities: CAPABILITIES,
    get: (key, options) =>
      gate.run("get", options, async () => {
        const checked = readStoreKey(key);
        await opened();
        return file.get(checked);
      }),
    put: (key, value, options) =>
      gate.run("put", options, async () => {
        const [result] = await write([readPut(key, value, options, CAPABILITIES)], options);
        return result?.version as StoreVersion;
      }),
    delete: (key, options) =>
      gate.run("delete", options, async () => {
        const [result] = await write([readDelete(key, options)], options);
        return result?.replaced === true;
      }),
    list: (query, options) =>
      gate.run("list", options, async () => {
        const checked = readListQuery(query);
        await opened();
        return file.list(checked);
      }),
    batch: (operations, options) =>
      gate.run("batch", options, async () => {
        const results = await write(readBatch(operations, CAPABILITIES), options);
        return results.map(({ version }) => version);
      }),
  };
}

function toWrite(write: CheckedWrite): StoreWrite {
  const valueFields = write.type === "put" ? valueFieldsOf(write.value) : "";
  return { id: storeKeyText(write.key), write, valueFields };
}
