import type { TinyAgentsError } from "../errors.js";
import type { JsonValue } from "../json.js";
import { canonicalJson } from "../json.js";
import type { AppendOptions, ReadRange, StreamRange } from "./append-store.js";
import type { StoreCallOptions } from "./call-options.js";
import { checkFields, readOrder, readWholeNumber } from "./read-fields.js";
import { invalidArgument } from "./refuse.js";
import { copyStoredJson } from "./stored-json.js";

/** An append whose arguments are checked and copied. */
export interface CheckedAppend {
  readonly stream: string;
  /** One or more. */
  readonly values: readonly JsonValue[];
  readonly expectedOffset?: number;
  readonly idempotencyKey?: string;
}

/** A read whose arguments are checked. */
export interface CheckedReadRange {
  /** Absent: from the start, or, descending, from the end. */
  readonly from?: number;
  readonly limit: number;
  readonly descending: boolean;
}

/** A listing of streams whose arguments are checked. */
export interface CheckedStreamsQuery {
  readonly prefix: string;
  readonly limit: number;
  /** Only names that come after this one. */
  readonly after?: string;
}

/** @throws `invalid_request` unless the name is a text that is not empty. */
export function readStreamName(stream: string): string {
  if (typeof stream === "string" && stream !== "") return stream;
  throw invalidArgument("stream", "a name that is not empty is expected");
}

/** @throws `invalid_request` unless the key is a text that is not empty. */
export function readIdempotencyKey(key: string): string {
  if (typeof key === "string" && key !== "") return key;
  throw invalidArgument("idempotencyKey", "a text that is not empty is expected");
}

/** @throws `invalid_request` that names the place of what cannot be. */
export function readStreamsQuery(prefix = "", range: StreamRange & StoreCallOptions = {}): CheckedStreamsQuery {
  checkFields(range, ["after", "limit", "signal"], "range");
  if (typeof prefix !== "string") throw invalidArgument("prefix", "a text is expected");
  if (range.after !== undefined && typeof range.after !== "string")
    throw invalidArgument("after", "a text is expected");
  return {
    prefix,
    limit: readWholeNumber(range.limit ?? 1_000, 1, "limit"),
    ...(range.after === undefined ? {} : { after: range.after }),
  };
}

/** @throws `invalid_request` that names the place of what cannot be. */
export function readAppend(
  stream: string,
  values: readonly JsonValue[],
  { expectedOffset, idempotencyKey }: AppendOptions = {},
): CheckedAppend {
  const name = readStreamName(stream);
  if (!Array.isArray(values) || values.length === 0)
    throw invalidArgument("values", "an array of one or more values is expected");
  return {
    stream: name,
    values: copyStoredJson(values, "values") as readonly JsonValue[],
    ...(expectedOffset === undefined ? {} : { expectedOffset: readWholeNumber(expectedOffset, 0, "expectedOffset") }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey: readIdempotencyKey(idempotencyKey) }),
  };
}

/** @throws `invalid_request` that names the place of what cannot be. */
export function readReadRange(range: ReadRange & StoreCallOptions = {}): CheckedReadRange {
  checkFields(range, ["from", "limit", "order", "signal"], "range");
  return {
    limit: readWholeNumber(range.limit ?? 1_000, 1, "limit"),
    descending: readOrder(range.order),
    ...(range.from === undefined ? {} : { from: readWholeNumber(range.from, 0, "from") }),
  };
}

/** The offset before which a `truncate` drops records. @throws `invalid_request` */
export function readTruncate(options: { readonly before: number }): number {
  return readWholeNumber(options?.before, 0, "before");
}

/**
 * Checks that an append under a key that is known repeats the earlier one. A backend that keeps a digest of the earlier
 * values compares those, and throws {@link otherValuesUnderKey}.
 * @param earlier what was appended under the key.
 * @throws `invalid_request` when the values are others.
 */
export function checkRepeatedAppend(append: CheckedAppend, earlier: readonly JsonValue[]): void {
  if (canonicalJson(earlier) !== canonicalJson(append.values)) throw otherValuesUnderKey(append);
}

/** The error for an append whose key is known with other values. */
export function otherValuesUnderKey({
  stream,
  idempotencyKey,
}: Pick<CheckedAppend, "stream" | "idempotencyKey">): TinyAgentsError<"invalid_request"> {
  const problem = `${JSON.stringify(idempotencyKey)} was used in stream "${stream}" with other values`;
  return invalidArgument("idempotencyKey", problem);
}
