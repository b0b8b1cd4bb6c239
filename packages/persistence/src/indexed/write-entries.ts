import {
  type Clock,
  isTinyAgentsError,
  type JsonValue,
  type Store,
  type StoreCallOptions,
  type StoreKey,
  type StoreOperation,
  type StoreRecord,
  type StoreValue,
  type StoreVersion,
} from "@tinyagents/core";

/** How long an entry whose record is not found under it is left alone, ms: its writer may not be there yet. */
export const ENTRY_GRACE_MS = 60_000;

/** A write of one record together with the entries under which it is found. */
export interface EntryWrite {
  readonly key: StoreKey;
  /** Absent: the record is taken away. */
  readonly value?: JsonValue;
  /** `null`: there must be no record. */
  readonly ifVersion: StoreVersion | null;
  readonly add: readonly StoreKey[];
  readonly remove: readonly StoreKey[];
}

const ENTRY: StoreValue = { type: "json", value: null };

/**
 * Writes a record and its entries. Where a batch is all or nothing they are one. Elsewhere the new entries come first, and
 * the old ones go last: a process that is killed in between leaves entries that lead nowhere, and never a record
 * that is not found. Gives the record's version, nothing when it was taken away.
 * @throws `conflict` when `ifVersion` is not the version that is there.
 */
export function writeWithEntries(
  store: Store,
  clock: Clock,
  write: EntryWrite,
  options?: StoreCallOptions,
): Promise<StoreVersion | undefined> {
  return store.capabilities.atomicBatch
    ? writeAtOnce(store, write, options)
    : writeInTurn(store, clock, write, options);
}

async function writeAtOnce(
  store: Store,
  write: EntryWrite,
  options?: StoreCallOptions,
): Promise<StoreVersion | undefined> {
  const removed = write.remove.map((key): StoreOperation => ({ type: "delete", key }));
  const [version] = await store.batch([ofRecord(write), ...write.add.map(ofEntry), ...removed], options);
  return version;
}

async function writeInTurn(
  store: Store,
  clock: Clock,
  write: EntryWrite,
  options?: StoreCallOptions,
): Promise<StoreVersion | undefined> {
  const startedAtMs = clock.now();
  // Their versions are noted before the record is written: whoever adds such an entry again does so after that.
  const old = await Promise.all(write.remove.map((key) => store.get(key, options)));
  const versions = await store.batch([...write.add.map(ofEntry), ofRecord(write)], options);
  // A writer that was this slow may have had its entries swept away.
  if (write.add.length > 0 && clock.now() - startedAtMs >= ENTRY_GRACE_MS / 2)
    await store.batch(write.add.map(ofEntry));
  await Promise.all(old.map((entry) => (entry === undefined ? undefined : removeEntry(store, entry))));
  return versions[write.add.length];
}

/** Takes an entry away, unless somebody has written it again. */
export async function removeEntry(store: Store, { key, version }: StoreRecord): Promise<void> {
  try {
    await store.delete(key, { ifVersion: version });
  } catch (error) {
    if (!isTinyAgentsError(error, "conflict")) throw error;
  }
}

function ofRecord({ key, value, ifVersion }: EntryWrite): StoreOperation {
  if (value !== undefined) return { type: "put", key, value: { type: "json", value }, options: { ifVersion } };
  return ifVersion === null ? { type: "delete", key } : { type: "delete", key, options: { ifVersion } };
}

function ofEntry(key: StoreKey): StoreOperation {
  return { type: "put", key, value: ENTRY };
}
