import type { JsonValue } from "../json.js";
import type { StoreCallOptions } from "./call-options.js";
import type { LogCapabilities } from "./capabilities.js";

/** One record of a log. */
export interface LogRecord {
  /** Place in the stream, from 0; rises by one per record. */
  readonly offset: number;
  /** Comes back exactly as it went in, as the JSON of a `StoreValue` does. */
  readonly value: JsonValue;
}

/** On what terms values are added to a stream. */
export interface AppendOptions {
  /** Append only if this is the head: the offset that the first new value would get. */
  readonly expectedOffset?: number | undefined;
  /**
   * Appending again under the same key adds nothing and gives the first offset again. Checked before the offset. Known as
   * long as its stream lives, whatever is truncated; an append that failed leaves none.
   */
  readonly idempotencyKey?: string | undefined;
}

/** Which records of a stream to read. */
export interface ReadRange {
  /** The first offset to read (the last, when descending). Default: the start (the end). */
  readonly from?: number | undefined;
  /** At most this many. Default 1,000. */
  readonly limit?: number | undefined;
  /** By offset. Default `ascending`. */
  readonly order?: "ascending" | "descending" | undefined;
}

/** Which names of streams to list. */
export interface StreamRange {
  /** Only names that come after this one. */
  readonly after?: string | undefined;
  /** At most this many. Default 1,000. */
  readonly limit?: number | undefined;
}

/**
 * Ordered logs, one per stream name. A name is not empty; any character may be in it, and none means anything special.
 * All methods throw `invalid_request`, which names the place, for arguments that cannot be, and `store_failed` when the
 * backend fails or is closed.
 */
export interface AppendStore {
  readonly capabilities: LogCapabilities;
  /**
   * Adds one or more values at the end of a stream, all or none and side by side, and gives the offset of the first.
   * Appends that nobody waited for between are in some order. Once it resolves, a durable log keeps the values. Every log takes
   * values of 8,000,000 bytes of JSON text at once; one with a limit above that refuses more with `invalid_request` before
   * anything is written.
   *
   * @throws `conflict` when `expectedOffset` is not the head; `invalid_request` when an `idempotencyKey` comes with
   * other values than before (its `argument` is `idempotencyKey`), or a value is not JSON.
   */
  append(stream: string, values: readonly JsonValue[], options?: AppendOptions & StoreCallOptions): Promise<number>;
  /** Records in order; none for a stream that nobody has written. @throws `invalid_request` for a field it does not know. */
  read(stream: string, range?: ReadRange & StoreCallOptions): Promise<readonly LogRecord[]>;
  /** The offset that the next value gets; 0 for a stream that nobody has written. */
  head(stream: string, options?: StoreCallOptions): Promise<number>;
  /**
   * The offset of the first value that was appended under an `idempotencyKey`, whether or not it was truncated since; nothing
   * where none was. It is looked up, as a repeated append is: no records are read for it.
   */
  offsetOf(stream: string, idempotencyKey: string, options?: StoreCallOptions): Promise<number | undefined>;
  /** Drops the records before an offset; the others keep theirs, and the head stays. */
  truncate(stream: string, options: { readonly before: number } & StoreCallOptions): Promise<void>;
  /**
   * Names of streams that start with a text, in code unit order. A stream whose records were all dropped is one.
   * @throws `invalid_request` for a field it does not know.
   */
  streams(prefix?: string, range?: StreamRange & StoreCallOptions): Promise<readonly string[]>;
  /** Whether there was a stream to take away. Its name starts from 0 again, and its keys are free. */
  delete(stream: string, options?: StoreCallOptions): Promise<boolean>;
  /**
   * Where `capabilities.follow`: calls back soon after values were appended to a stream, by any process where
   * `capabilities.multiProcess`; now and then for no reason, once for several appends, and a last time when the log is
   * closed. What it gives ends that, and never fails. An append that began after this has resolved is never passed over.
   * Absent without `capabilities.follow`. Most callers want {@link follow}.
   */
  watch?(stream: string, onAppend: () => void, options?: StoreCallOptions): Promise<() => void>;
}
