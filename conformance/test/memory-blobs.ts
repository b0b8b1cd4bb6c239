import type { Place } from "@tinyagents/conformance";
import {
  abortError,
  type BlobRange,
  type BlobSource,
  type BlobStore,
  onAbort,
  type PutOptions,
  type Store,
  type StoreCallOptions,
  type StoreCapabilities,
  type StoredBlob,
  type StoreKey,
  throwIfAborted,
} from "@tinyagents/core";
import { placeOf, type StoreMemory, storeOn } from "./memory-store.js";
import { checkWhole, conflicting, refused } from "./stored.js";

/** Makes a sound store of blobs unsound. Called for each that is opened. */
export type BlobFault = (store: BlobStore, memory: StoreMemory) => BlobStore;

const PIECE = 500_000;

/** A place that outlives its stores, for as many as there are. */
export function blobPlace(
  change: BlobFault = (store) => store,
  claims: Partial<StoreCapabilities> = {},
): Place<{ readonly store: BlobStore; close(): Promise<void> }> {
  return placeOf((memory, isClosed) => change(blobsOn(storeOn(memory, isClosed)), memory), claims);
}

/** The pieces of a source, checked, until the signal aborts. */
export async function* taken(source: BlobSource, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  if (typeof source !== "object" || !(Symbol.asyncIterator in source || Symbol.iterator in source))
    throw refused("chunks");
  let unlink = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    unlink = onAbort(signal, () => reject(abortError(signal)));
  });
  aborted.catch(() => undefined);
  const iterator = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), aborted]);
      if (next.done === true) return;
      if (!(next.value instanceof Uint8Array)) {
        await iterator.return?.();
        throw refused("chunks");
      }
      yield next.value;
    }
  } finally {
    unlink();
  }
}

/** All pieces as one. */
export async function join(pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(new Uint8Array(piece));
  return new Uint8Array(await new Blob(all as BlobPart[]).arrayBuffer());
}

export async function checkCondition(store: Store, key: StoreKey, ifVersion: PutOptions["ifVersion"]): Promise<void> {
  const found = (await store.get(key))?.version ?? null;
  if (ifVersion !== undefined && ifVersion !== found) throw conflicting(JSON.stringify(key), ifVersion, found);
}

/** Bytes of a range, a copy. */
export function part(bytes: Uint8Array, { start = 0, end }: BlobRange): Uint8Array {
  checkWhole(start, 0, "start");
  checkWhole(end, start, "end");
  return bytes.slice(start, end);
}

export async function* cut(bytes: Uint8Array, length: number = PIECE): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.slice(at, at + length);
}

/** Adds pieces to a store of records. */
function blobsOn(store: Store): BlobStore {
  const read = async (
    key: StoreKey,
    options?: StoreCallOptions,
  ): Promise<(Omit<StoredBlob, "chunks" | "size"> & { bytes: Uint8Array }) | undefined> => {
    const record = await store.get(key, options);
    if (record === undefined) return undefined;
    const { value, ...facts } = record;
    if (value.type !== "bytes") throw refused("key");
    return { ...facts, bytes: value.bytes };
  };
  return {
    ...store,
    async putBlob(key, chunks, options) {
      await checkCondition(store, key, options?.ifVersion);
      throwIfAborted(options?.signal);
      const bytes = await join(taken(chunks, options?.signal));
      return store.put(key, { type: "bytes", bytes }, options);
    },
    async getBlob(key, options = {}) {
      const { signal } = options;
      const found = await read(key, { signal });
      if (found === undefined) return undefined;
      const { bytes, ...facts } = found;
      const wanted = part(bytes, options);
      return { ...facts, size: bytes.length, chunks: stream(facts.version, wanted, options) };

      async function* stream(version: string, all: Uint8Array, call: StoreCallOptions): AsyncGenerator<Uint8Array> {
        const now = (await store.get(key, call))?.version ?? null;
        if (now !== version) throw conflicting(JSON.stringify(key), version, now);
        for await (const piece of cut(all)) {
          await store.get(["none"], call);
          yield piece;
        }
      }
    },
  };
}
