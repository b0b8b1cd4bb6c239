import type { JsonValue } from "../json.js";
import type { LogCapabilities } from "./capabilities.js";

/** One record of a log. */
export interface LogRecord {
  /** Place in the stream, from 0; rises by one per record. */
  readonly offset: number;
  readonly value: JsonValue;
}

/** On what terms values are added to a stream. */
export interface AppendOptions {
  /** Append only if this is the head: the offset that the first new value would get. */
  readonly expectedOffset?: number | undefined;
  /** Appending again under the same key adds nothing and gives the first offset again. Checked before the offset. */
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

/** Ordered logs, one per stream name. All methods throw `store_failed` when the backend does. */
export interface AppendStore {
  readonly capabilities: LogCapabilities;
  /**
   * Adds values at the end of a stream, all or none, and gives the offset of the first.
   *
   * @throws `conflict` when `expectedOffset` is not the head; `invalid_request` when an `idempotencyKey` comes with
   * other values than before.
   */
  append(stream: string, values: readonly JsonValue[], options?: AppendOptions): Promise<number>;
  /** Records in order; none for a stream that nobody has written. */
  read(stream: string, range?: ReadRange): Promise<readonly LogRecord[]>;
  /** The offset that the next value gets; 0 for a stream that nobody has written. */
  head(stream: string): Promise<number>;
  /** Drops the records before an offset; the others keep theirs. */
  truncate(stream: string, options: { readonly before: number }): Promise<void>;
  /** Names of streams that start with a text, in code unit order. */
  streams(prefix?: string): Promise<readonly string[]>;
  /** Whether there was a stream to take away. Its name starts from 0 again. */
  delete(stream: string): Promise<boolean>;
}
