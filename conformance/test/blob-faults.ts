import { type BlobStore, onAbort, type StoredBlob, throwIfAborted } from "@tinyagents/core";
import { type BlobFault, checkCondition, cut, join, part, taken } from "./memory-blobs.js";

type PutBlob = BlobStore["putBlob"];
type GetBlob = BlobStore["getBlob"];

function putting(change: (put: PutBlob, store: BlobStore) => PutBlob): BlobFault {
  return (store) => ({ ...store, putBlob: change(store.putBlob, store) });
}

/** Hands out something else than what was read. */
function giving(change: (blob: StoredBlob, store: BlobStore, ...args: Parameters<GetBlob>) => StoredBlob): BlobFault {
  return (store) => ({
    ...store,
    async getBlob(key, options) {
      const blob = await store.getBlob(key, options);
      return blob && change(blob, store, key, options);
    },
  });
}

/** Writes what it has when the source ends in a way that it should not. */
const endsAnyway = putting((put) => (key, chunks, options) => {
  const pieces = async function* (): AsyncGenerator<Uint8Array> {
    try {
      yield* taken(chunks, options?.signal);
    } catch {
      // Takes it for the end.
    }
  };
  return put(key, pieces(), { ...options, signal: undefined });
});

async function* all(blob: StoredBlob): AsyncGenerator<Uint8Array> {
  yield await join(blob.chunks);
}

/** For every check of blobs, a fault that it must find. */
export const blobFaults: { readonly [check: string]: BlobFault } = {
  "keeps the same bytes however they are cut into pieces": putting((put) => (key, chunks, options) => {
    const pieces = async function* (): AsyncGenerator<Uint8Array> {
      for await (const piece of chunks) {
        if (piece.length === 0) return;
        yield piece;
      }
    };
    return put(key, pieces(), options);
  }),
  "keeps a blob as a record like others": (store) => ({
    ...store,
    putBlob: (key, chunks, options) => store.putBlob(["blobs", ...key], chunks, options),
    getBlob: (key, options) => store.getBlob(["blobs", ...key], options),
  }),
  "leaves a record as it is until the last piece has come": putting((_, store) => async (key, chunks, options) => {
    let bytes = new Uint8Array();
    let version = "";
    for await (const piece of taken(chunks)) {
      bytes = (await join([bytes, piece])) as typeof bytes;
      version = await store.put(key, { type: "bytes", bytes }, options);
    }
    return version;
  }),
  "writes nothing when its source fails, and throws what that threw": endsAnyway,
  "refuses a piece that is not of bytes, stops its source, and writes nothing": putting(
    (put) => (key, chunks, options) => {
      const pieces = async function* (): AsyncGenerator<Uint8Array> {
        for await (const piece of chunks) yield piece instanceof Uint8Array ? piece : new TextEncoder().encode(piece);
      };
      return put(key, pieces(), options);
    },
  ),
  "takes no piece when its condition does not hold at the beginning": putting(
    (_, store) => async (key, chunks, options) =>
      store.put(key, { type: "bytes", bytes: await join(taken(chunks)) }, options),
  ),
  "says conflict when somebody else wrote while its pieces came": putting(
    (put, store) => async (key, chunks, options) => {
      await checkCondition(store, key, options?.ifVersion);
      return put(key, chunks, { ...options, ifVersion: undefined });
    },
  ),
  "asks for a piece only when the one before was taken, one at a time": putting(
    (put) => async (key, chunks, options) => {
      if (!(Symbol.asyncIterator in chunks)) return put(key, chunks, options);
      const iterator = chunks[Symbol.asyncIterator]();
      const pieces = await Promise.all(Array.from({ length: 21 }, () => iterator.next()));
      return put(
        key,
        pieces.flatMap(({ done, value }) => (done === true ? [] : [value])),
        options,
      );
    },
  ),
  "leaves a source that it waits for when it is cancelled, and writes nothing": endsAnyway,

  "gives nothing for a key that has no record": (store) => ({
    ...store,
    async getBlob(key, options) {
      const none = { key, version: "v0", attributes: {}, updatedAtMs: 0, size: 0, chunks: cut(new Uint8Array()) };
      return (await store.getBlob(key, options)) ?? none;
    },
  }),
  "gives a blob with its key, version, attributes, time and size": giving((blob, _, __, options) => ({
    ...blob,
    size: Math.min(blob.size, options?.end ?? blob.size) - (options?.start ?? 0),
  })),
  "gives the bytes from any place to any other, and none beyond the end": (store) => ({
    ...store,
    getBlob: (key, { end, ...options } = {}) =>
      store.getBlob(key, { ...options, ...(end === undefined ? {} : { end: end + 1 }) }),
  }),
  "refuses a range that cannot be": (store) => ({
    ...store,
    getBlob: (key, { start, end, ...options } = {}) =>
      store.getBlob(key, {
        ...options,
        start: Math.max(0, Number(start ?? 0) || 0),
        end: Math.ceil(Number(end ?? 9)) + 9,
      }),
  }),
  "refuses to read a record that is not of bytes in pieces": (store) => ({
    ...store,
    async getBlob(key, options) {
      const record = await store.get(key);
      if (record?.value.type !== "text") return store.getBlob(key, options);
      const { value, ...facts } = record;
      return { ...facts, size: value.text.length, chunks: cut(new TextEncoder().encode(value.text)) };
    },
  }),
  "gives a large blob in pieces, each for its reader alone": giving((blob) => ({ ...blob, chunks: all(blob) })),
  "goes on with the version that it began with, whoever writes or deletes meanwhile": giving((blob, store, key) => {
    const chunks = async function* (): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < blob.size; at += 100_000) {
        const value = (await store.get(key))?.value;
        if (value?.type === "bytes") yield part(value.bytes, { start: at, end: at + 100_000 });
      }
    };
    return { ...blob, chunks: chunks() };
  }),
  "says conflict for bytes that were replaced before any was read, and never gives others": giving(
    (blob, store, key) => {
      const chunks = async function* (): AsyncGenerator<Uint8Array> {
        yield* (await store.getBlob(key))?.chunks ?? [];
      };
      return { ...blob, chunks: chunks() };
    },
  ),
  "can be left at any piece, and leaves no listener on the caller's signal": giving((blob, _, __, options) => {
    onAbort(options?.signal, () => undefined);
    return blob;
  }),
  "stops at the next piece when its signal aborts": (store) => ({
    ...store,
    async getBlob(key, { signal, ...range } = {}) {
      throwIfAborted(signal);
      return store.getBlob(key, range);
    },
  }),
  "fails with store_failed when the store is closed before the end": (store) => ({
    ...store,
    async getBlob(key, options) {
      const blob = await store.getBlob(key, options);
      return blob && { ...blob, chunks: cut(await join(blob.chunks)) };
    },
  }),
  "still has every byte when the place is opened again": (store, memory) =>
    memory.opened < 2
      ? store
      : giving((blob) => ({ ...blob, chunks: blob.size > 0 ? cut(new Uint8Array(1)) : blob.chunks }))(store, memory),
};
