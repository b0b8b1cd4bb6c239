import type { StoreCallOptions } from "./call-options.js";
import { readWholeNumber } from "./read-fields.js";
import { invalidArgument } from "./refuse.js";
import type { PutOptions, Store, StoreAttributes, StoreKey, StoreVersion } from "./store.js";

/** A record of bytes, whose bytes come in pieces. */
export interface StoredBlob {
  readonly key: StoreKey;
  readonly version: StoreVersion;
  readonly attributes: StoreAttributes;
  /** Milliseconds since 1970 of the last write. */
  readonly updatedAtMs: number;
  /** All bytes of the record, also where a part of them was asked for. */
  readonly size: number;
  /**
   * The bytes, to be read once, in pieces of at most 1 MiB that belong to the reader. From the first piece on they are those
   * of this version, whoever writes meanwhile, and something is held open until they are read to their end or the reader
   * stops. Before, nothing is held.
   * @throws `conflict` when the record was replaced or deleted before the first piece was asked for, `corrupt_data` before
   * the end of a record that was damaged, `store_failed` when the store is closed meanwhile.
   */
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** Which bytes of a record to read. What is beyond its end is not there. */
export interface BlobRange {
  /** The first byte, from 0. Default 0. */
  readonly start?: number | undefined;
  /** The byte before which to stop, not below `start`. Default: the end. */
  readonly end?: number | undefined;
}

/** What the bytes of a blob come from. */
export type BlobSource = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/**
 * A store whose records of bytes go in and out in pieces, so that one may be larger than the memory. They are records like
 * others: `get` gives such a record whole, and `put` replaces it.
 */
export interface BlobStore extends Store {
  /**
   * As `put` of all the bytes at once: until the last has come, the record is what it was before. Each piece is written
   * before the next is asked for. `ifVersion` is checked before the first piece is taken, and again when the record takes
   * effect. Whatever ends the write early, its source is told to stop.
   * @throws what the source throws, `invalid_request` for a piece that is no `Uint8Array`, and `conflict`; then nothing is
   * written.
   */
  putBlob(key: StoreKey, chunks: BlobSource, options?: PutOptions & StoreCallOptions): Promise<StoreVersion>;
  /**
   * Nothing when there is no record. The signal counts for the reading of the chunks, too.
   * @throws `invalid_request` for a record that is not of bytes, and a range that cannot be.
   */
  getBlob(key: StoreKey, options?: BlobRange & StoreCallOptions): Promise<StoredBlob | undefined>;
}

/** A range whose numbers are checked; `end` may be beyond the end of any record. */
export interface CheckedBlobRange {
  readonly start: number;
  readonly end: number;
}

/** @throws `invalid_request` that names the place of what cannot be. */
export function readBlobRange({ start, end }: BlobRange = {}): CheckedBlobRange {
  const range = {
    start: readWholeNumber(start ?? 0, 0, "start"),
    end: readWholeNumber(end ?? Number.MAX_SAFE_INTEGER, 0, "end"),
  };
  if (range.start <= range.end) return range;
  throw invalidArgument("end", `a place from start (${range.start}) on is expected, ${range.end} given`);
}
