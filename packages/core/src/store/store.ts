import type { JsonPrimitive, JsonValue } from "../json.js";
import type { StoreCallOptions } from "./call-options.js";
import type { StoreCapabilities } from "./capabilities.js";

/** Where a record is: a path of one or more non-empty names. Names are opaque; any character may be in them. */
export type StoreKey = readonly string[];

/**
 * What a record holds. Kind and content come back exactly as they went in: every character, half a surrogate pair too,
 * every byte, and JSON as its text has it, with the order of its keys and `-0` as `0`. JSON may be 256 levels deep. Every store
 * takes values of 8,000,000 bytes, as JSON text where they are JSON; one with a limit above that refuses what is larger with
 * `invalid_request` before anything is written.
 */
export type StoreValue =
  | { readonly type: "json"; readonly value: JsonValue }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "bytes"; readonly bytes: Uint8Array };

/**
 * Facts to select records by. A name is not empty; numbers are finite. Every store takes 64 of them, with names of 256 and texts
 * of 1,024 characters; one with a limit above that refuses more with `invalid_request`, and cuts nothing.
 */
export interface StoreAttributes {
  readonly [name: string]: JsonPrimitive;
}

/** A version of a record: opaque, different after every write of that key, also when the record was gone between. */
export type StoreVersion = string;

/** A record as it is stored. */
export interface StoreRecord {
  readonly key: StoreKey;
  readonly value: StoreValue;
  readonly version: StoreVersion;
  readonly attributes: StoreAttributes;
  /** Milliseconds since 1970 of the last write. */
  readonly updatedAtMs: number;
}

/** On what terms a record is written. */
export interface PutOptions {
  /** Write only if this is the version that is there; `null`: only if there is no record. */
  readonly ifVersion?: StoreVersion | null | undefined;
  /** The record is gone after this many ms, above 0. Only where `capabilities.ttl`. */
  readonly ttlMs?: number | undefined;
  readonly attributes?: StoreAttributes | undefined;
}

/** On what terms a record is taken away. */
export interface DeleteOptions {
  readonly ifVersion?: StoreVersion | undefined;
}

/** Which records to list, and in what order. */
export interface ListQuery {
  /** Records whose key starts with these names; a name is matched whole. */
  readonly prefix: StoreKey;
  /** Records that have all of these attributes, compared by type and value. `null` is a value, not an absence. */
  readonly where?: StoreAttributes | undefined;
  /** By key, name by name in code unit order. Default `ascending`. */
  readonly order?: "ascending" | "descending" | undefined;
  /** At most this many. Default 100. */
  readonly limit?: number | undefined;
  /** Go on after an earlier page. */
  readonly cursor?: string | undefined;
}

/** Some of the records that were asked for. */
export interface Page<T> {
  readonly items: readonly T[];
  /** Absent on the last page. */
  readonly cursor?: string;
}

/** One write of a batch. A batch is checked whole before any of it is done. */
export type StoreOperation =
  | { readonly type: "put"; readonly key: StoreKey; readonly value: StoreValue; readonly options?: PutOptions }
  | { readonly type: "delete"; readonly key: StoreKey; readonly options?: DeleteOptions };

/**
 * Keyed records. Every write of a key takes effect whole and at one moment, whoever else reads and writes. All methods
 * throw `invalid_request`, which names the place, for arguments that cannot be, and `store_failed` when the backend fails
 * or is closed.
 */
export interface Store {
  readonly capabilities: StoreCapabilities;
  /** The record, or nothing when there is none. */
  get(key: StoreKey, options?: StoreCallOptions): Promise<StoreRecord | undefined>;
  /**
   * Writes a record whole: attributes and expiry of the one before are gone. Once it resolves, a durable store keeps it.
   * @throws `conflict` when `ifVersion` is not the version that is there.
   */
  put(key: StoreKey, value: StoreValue, options?: PutOptions & StoreCallOptions): Promise<StoreVersion>;
  /**
   * Whether there was a record to take away.
   * @throws `conflict` when `ifVersion` is not the version that is there.
   */
  delete(key: StoreKey, options?: DeleteOptions & StoreCallOptions): Promise<boolean>;
  /**
   * Records in order, a page at a time. Records that come and go between pages make it neither repeat nor miss another.
   * @throws `invalid_request` for a field it does not know, and for a `where` it cannot apply in full.
   */
  list(query: ListQuery, options?: StoreCallOptions): Promise<Page<StoreRecord>>;
  /**
   * Several writes in order, each seeing those before it: all or none where `capabilities.atomicBatch`. Gives the version
   * of each put.
   */
  batch(
    operations: readonly StoreOperation[],
    options?: StoreCallOptions,
  ): Promise<readonly (StoreVersion | undefined)[]>;
}
