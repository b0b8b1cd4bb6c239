import { corruptData, type JsonValue } from "@tinyagents/core";
import { readTextBody } from "./body.js";
import type { Chunks } from "./chunks.js";
import type { Fields } from "./driver.js";
import { keyOfId, orderedNumber, readCount, readFields, readJsonText, readText } from "./fields.js";

/** One append: all its values side by side, in one document or in its chunks. */
export interface AppendFields extends Fields {
  /** Offset of its first value. */
  readonly first: number;
  /** How many values it has. */
  readonly count: number;
  readonly idempotencyKey?: string;
  /** Of the values, for an append that comes again under its key. */
  readonly hash?: string;
}

/**
 * The document of a stream. An append is done when this document has it as its last: that is the one moment at which all see
 * it. The append before is copied among the others first, so no value is ever in neither place.
 */
export interface StreamState {
  readonly id: string;
  /** Other streams of that name, before and after, have others. */
  readonly incarnation: string;
  /** Offset of the first value that is kept. */
  readonly start: number;
  readonly head: number;
  readonly last: AppendFields;
}

/** How errors name a stream. */
export function streamPlace(name: string): string {
  return `stream ${JSON.stringify(name)}`;
}

/** How errors name an idempotency key of a stream. */
export function keyPlace(stream: string, idempotencyKey: string): string {
  return `idempotency key ${JSON.stringify(idempotencyKey)} of ${streamPlace(stream)}`;
}

/** The name of a stream. @throws `corrupt_data` */
export function nameOf(found: unknown): string {
  const [name, ...others] = keyOfId(readFields(found, "streams")._id, "streams._id");
  if (name === undefined || others.length > 0) throw corruptData("streams._id", "this _id is no name");
  return name;
}

/** @throws `corrupt_data` that names the stream and the field. */
export function readStreamState(found: unknown, id: string, place: string): StreamState {
  const { incarnation, start, head, last } = readFields(found, place);
  const state = {
    id,
    incarnation: readText(incarnation, `${place}.incarnation`),
    start: readCount(start, `${place}.start`),
    head: readCount(head, `${place}.head`),
    last: readAppendFields(last, `${place}.last`),
  };
  if (state.start > state.head || endOf(state.last) !== state.head)
    throw corruptData(place, "its start, its end and its last append do not fit together");
  return state;
}

/** @throws `corrupt_data` */
export function readAppendFields(found: unknown, place: string): AppendFields {
  const fields = readFields(found, place);
  const first = readCount(fields.first, `${place}.first`);
  const count = readCount(fields.count, `${place}.count`);
  if (count === 0) throw corruptData(`${place}.count`, "an append has values");
  if (fields.idempotencyKey !== undefined) {
    readText(fields.idempotencyKey, `${place}.idempotencyKey`);
    readText(fields.hash, `${place}.hash`);
  }
  return { ...fields, first, count };
}

/** The offset after an append. */
export function endOf({ first, count }: AppendFields): number {
  return first + count;
}

/** Appends are found by their last offset: the first one from an offset on is the one that has it. */
export function appendId(incarnation: string, lastOffset: number): string {
  return `${incarnation}/${orderedNumber(lastOffset)}`;
}

/** An idempotency key as an `_id`. */
export function idempotencyId(incarnation: string, key: string): string {
  return `${incarnation}/${JSON.stringify(key)}`;
}

/** The `_id`s of all that belongs to a stream. */
export function idsOfIncarnation(incarnation: string): object {
  return { $gte: `${incarnation}/`, $lt: `${incarnation}0` };
}

/** The values of an append; nothing when its chunks are gone. @throws `corrupt_data` */
export async function readValues(
  append: AppendFields,
  chunks: Chunks,
  stream: string,
  signal: AbortSignal | undefined,
): Promise<readonly JsonValue[] | undefined> {
  const place = `${stream} at ${append.first}`;
  const text = await readTextBody(append, chunks, place, signal);
  if (text === undefined) return undefined;
  const values = readJsonText(text, place);
  if (Array.isArray(values) && values.length === append.count) return values as readonly JsonValue[];
  throw corruptData(place, `an array of ${append.count} values is expected`);
}
