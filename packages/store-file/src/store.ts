import {
  type BlobStore,
  type CheckedDelete,
  type CheckedPut,
  cursorAfter,
  type ListQuery,
  matchesAttributes,
  type Page,
  readBatch,
  readBlobRange,
  readDelete,
  readListQuery,
  readPut,
  readStoreKey,
  type StoreCallOptions,
  type StoreCapabilities,
  type StoreGate,
  type StoreRecord,
  type StoreVersion,
  throwIfAborted,
} from "@tinyagents/core";
import type { BlobReads } from "./blob-reads.js";
import { checkSource, piecesOfSource } from "./blob-source.js";
import { decodeValue, encodeValue, readPieces } from "./content.js";
import type { OpenRecord } from "./record-folder.js";
import type { Records } from "./records.js";

const CAPABILITIES: StoreCapabilities = { durable: true, multiProcess: true, atomicBatch: false, ttl: true };
/** Stands for bytes that are yet to come, where the other arguments of a write are checked. */
const NO_BYTES = { type: "bytes", bytes: new Uint8Array() } as const;

/** The records of a folder. `opened` gives them when the folder is there. */
export function storeBehind(gate: StoreGate, reads: BlobReads, opened: () => Promise<Records>): BlobStore {
  const put = async (checked: CheckedPut, options: StoreCallOptions | undefined): Promise<StoreVersion> => {
    const { bytes, ...encoding } = encodeValue(checked.value);
    return (await opened()).put(checked, { pieces: [bytes], ...encoding }, options?.signal);
  };
  const take = async (checked: CheckedDelete, options: StoreCallOptions | undefined): Promise<boolean> =>
    (await opened()).delete(checked, options?.signal);
  return {
    capabilities: CAPABILITIES,
    get: (key, options) =>
      gate.run("get", options, async () => {
        const checked = readStoreKey(key);
        return (await opened()).use(checked, readRecord);
      }),
    put: (key, value, options) =>
      gate.run("put", options, () => put(readPut(key, value, options, CAPABILITIES), options)),
    delete: (key, options) => gate.run("delete", options, () => take(readDelete(key, options), options)),
    list: (query, options) => gate.run("list", options, () => listPage(opened, query, options)),
    batch: (operations, options) =>
      gate.run("batch", options, async () => {
        const versions: (StoreVersion | undefined)[] = [];
        for (const checked of readBatch(operations, CAPABILITIES)) {
          if (checked.type === "put") versions.push(await put(checked, options));
          else versions.push(void (await take(checked, options)));
        }
        return versions;
      }),
    async putBlob(key, chunks, options) {
      let failed: { readonly error: unknown } | undefined;
      const noteFailure = (error: unknown): void => {
        failed = { error };
      };
      const work = async (): Promise<StoreVersion> => {
        const checked = readPut(key, NO_BYTES, options, CAPABILITIES);
        checkSource(chunks);
        const signal = options?.signal;
        return (await opened()).put(checked, { pieces: piecesOfSource(chunks, signal, noteFailure) }, signal);
      };
      try {
        return await gate.run("putBlob", options, work);
      } catch (error) {
        // Its source failed, not the store: whoever gave the source knows what it throws.
        throw failed === undefined ? error : (failed as { readonly error: unknown }).error;
      }
    },
    getBlob: (key, options) =>
      gate.run("getBlob", options, async () => {
        const [checked, range] = [readStoreKey(key), readBlobRange(options)];
        const records = await opened();
        return records.use(checked, async (record) => reads.blob(records, record, range, options));
      }),
  };
}

async function listPage(
  opened: () => Promise<Records>,
  query: ListQuery,
  options: StoreCallOptions | undefined,
): Promise<Page<StoreRecord>> {
  const { where, limit, ...walk } = readListQuery(query);
  const records = await opened();
  const items: StoreRecord[] = [];
  for await (const key of records.keys(walk)) {
    throwIfAborted(options?.signal);
    const found = await records.use(key, async (record) => {
      if (!matchesAttributes(record.head.attributes, where)) return undefined;
      return items.length === limit ? "one more" : readRecord(record);
    });
    const last = items.at(-1);
    if (found === "one more") return last === undefined ? { items } : { items, cursor: cursorAfter(last.key) };
    if (found !== undefined) items.push(found);
  }
  return { items };
}

async function readRecord({ file, head, place, version }: OpenRecord): Promise<StoreRecord> {
  const pieces: Uint8Array[] = [];
  for await (const piece of readPieces(file, head, place)) pieces.push(piece);
  const { key, attributes, updatedAtMs } = head;
  return { key, value: decodeValue(head, Buffer.concat(pieces), place), version, attributes, updatedAtMs };
}
