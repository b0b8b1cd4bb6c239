import { readFileSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import {
  type CheckedWrite,
  compareKeyPrefix,
  compareStoreKeys,
  cursorAfter,
  isTinyAgentsError,
  matchesAttributes,
  messageOf,
  readBatch,
  readDelete,
  readListQuery,
  readPut,
  readStoreKey,
  recordName,
  type StorageBackend,
  type Store,
  type StoreRecord,
  type StoreValue,
  storeFailure,
  storeGate,
  storeKeyText,
  systemCodeOf,
  TinyAgentsError,
  writeConflict,
} from "@tinyagents/core";

/** What is behind the calls, in errors. */
const NAME = "JSON file";
const CAPABILITIES = { durable: true, multiProcess: false, atomicBatch: true, ttl: false };

/** All that is kept, by `storeKeyText`. A write makes the next one, which holds when it is in the file. */
interface Data {
  readonly lastVersion: number;
  readonly records: ReadonlyMap<string, StoreRecord>;
}

/**
 * Keyed records in one JSON file, which every write replaces: for one process, and few records. What was acknowledged
 * survives a killed process.
 * @throws `corrupt_data` and `version_mismatch` when the file cannot be read.
 */
export function jsonFileBackend(file: string): StorageBackend & { readonly store: Store } {
  const gate = storeGate(NAME);
  let data = load(file);
  let last: Promise<unknown> = Promise.resolve();

  /** One after the other: the conditions of a write are looked at in what the one before has left. */
  const commit = (writes: readonly CheckedWrite[]): Promise<Applied> => {
    const done = last.then(async () => {
      const applied = apply(data, writes);
      await save(file, applied.next);
      data = applied.next;
      return applied;
    });
    last = done.catch(() => {});
    return done;
  };

  const store: Store = {
    capabilities: CAPABILITIES,
    get: (key, options) =>
      gate.run("get", options, () => structuredClone(data.records.get(storeKeyText(readStoreKey(key))))),
    put: (key, value, options) =>
      gate.run("put", options, async () => {
        const { versions } = await commit([readPut(key, value, options, CAPABILITIES)]);
        return versions[0] as string;
      }),
    delete: (key, options) =>
      gate.run("delete", options, async () => (await commit([readDelete(key, options)])).found[0] !== undefined),
    batch: (operations, options) =>
      gate.run("batch", options, async () => (await commit(readBatch(operations, CAPABILITIES))).versions),
    list: (query, options) =>
      gate.run("list", options, () => {
        const { prefix, where, descending, limit, after } = readListQuery(query);
        const sign = descending ? -1 : 1;
        const found = [...data.records.values()]
          .filter(({ key, attributes }) => compareKeyPrefix(key, prefix) === 0 && matchesAttributes(attributes, where))
          .filter(({ key }) => after === undefined || sign * compareStoreKeys(key, after) > 0)
          .sort((a, b) => sign * compareStoreKeys(a.key, b.key));
        const items = structuredClone(found.slice(0, limit));
        const end = items.at(-1);
        return found.length > limit && end !== undefined ? { items, cursor: cursorAfter(end.key) } : { items };
      }),
  };
  return { store, close: () => gate.close() };
}

/** A record as the file has it. */
type StoredRecord = Omit<StoreRecord, "value"> & {
  readonly value: Exclude<StoreValue, { type: "bytes" }> | { readonly type: "bytes"; readonly base64: string };
};

/** The file. A reader refuses versions that it does not know. */
interface StoredData {
  readonly v: number;
  readonly lastVersion: number;
  readonly records: readonly StoredRecord[];
}

interface Applied {
  readonly next: Data;
  readonly versions: readonly (string | undefined)[];
  /** What was there before each write. */
  readonly found: readonly (StoreRecord | undefined)[];
}

/** The next data. Nothing is changed when one of the conditions does not hold. */
function apply(now: Data, writes: readonly CheckedWrite[]): Applied {
  const records = new Map(now.records);
  let { lastVersion } = now;
  const found = writes.map((write) => {
    const id = storeKeyText(write.key);
    const before = records.get(id);
    const version = before?.version ?? null;
    if (write.ifVersion !== undefined && write.ifVersion !== version)
      throw writeConflict(recordName(write.key), write.ifVersion, version);
    if (write.type === "delete") records.delete(id);
    else {
      const { key, value, attributes } = write;
      records.set(id, { key, value, attributes, version: String(++lastVersion), updatedAtMs: Date.now() });
    }
    return before;
  });
  let given = now.lastVersion;
  const versions = writes.map((write) => (write.type === "put" ? String(++given) : undefined));
  return { next: { lastVersion, records }, versions, found };
}

function load(file: string): Data {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (systemCodeOf(error) === "ENOENT") return { lastVersion: 0, records: new Map() };
    throw storeFailure(NAME, "open", error);
  }
  try {
    return fromStored(JSON.parse(text) as StoredData, file);
  } catch (error) {
    if (isTinyAgentsError(error)) throw error;
    const reason = messageOf(error);
    throw new TinyAgentsError("corrupt_data", `${file} is damaged: ${reason}`, { details: { place: file, reason } });
  }
}

function fromStored({ v, lastVersion, records }: StoredData, file: string): Data {
  if (typeof v === "number" && v > 1)
    throw new TinyAgentsError("version_mismatch", `${file} has the newer format ${v}.`, {
      details: { place: file, expected: 1, found: v },
    });
  if (v !== 1 || typeof lastVersion !== "number") throw new Error("v and lastVersion are expected");
  return { lastVersion, records: new Map(records.map((record) => [storeKeyText(record.key), recordOf(record)])) };
}

/** The new file is whole and on the disk before it takes the place of the old one. */
async function save(file: string, { lastVersion, records }: Data): Promise<void> {
  const stored: StoredData = { v: 1, lastVersion, records: [...records.values()].map(toStored) };
  const handle = await open(`${file}.new`, "w", 0o600);
  try {
    await handle.writeFile(JSON.stringify(stored));
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(`${file}.new`, file);
}

/** JSON has no bytes: in the file they are base64. */
function toStored({ value, ...rest }: StoreRecord): StoredRecord {
  if (value.type !== "bytes") return { ...rest, value };
  return { ...rest, value: { type: "bytes", base64: Buffer.from(value.bytes).toString("base64") } };
}

function recordOf({ value, ...rest }: StoredRecord): StoreRecord {
  if (value.type !== "bytes") return { ...rest, value };
  return { ...rest, value: { type: "bytes", bytes: new Uint8Array(Buffer.from(value.base64, "base64")) } };
}
