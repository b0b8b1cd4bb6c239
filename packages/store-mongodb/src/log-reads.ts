import { type CheckedReadRange, corruptData, type JsonValue, type LogRecord, throwIfAborted } from "@tinyagents/core";
import { type Fields, MOST_DOCUMENTS } from "./driver.js";
import { idOfKey, readCount } from "./fields.js";
import type { Place } from "./place.js";
import {
  type AppendFields,
  appendId,
  endOf,
  idempotencyId,
  keyPlace,
  readAppendFields,
  readStreamState,
  readValues,
  type StreamState,
  streamPlace,
} from "./stream-document.js";

/** What a read looks for: values from an offset on, in one direction, as long as there are any. */
interface Wanted {
  readonly limit: number;
  readonly descending: boolean;
  /** The first offset that is wanted. */
  readonly from: number;
}

/** A stream as it was when the read began, and who reads. */
interface Reading {
  readonly place: Place;
  readonly name: string;
  readonly state: StreamState;
  readonly signal: AbortSignal | undefined;
}

/** The state of a stream; nothing for one that nobody has written. */
export async function streamState(
  place: Place,
  stream: string,
  signal?: AbortSignal,
): Promise<StreamState | undefined> {
  const id = idOfKey([stream]);
  const found = await place.collections.streams.findOne({ _id: id }, { signal });
  return found === null ? undefined : readStreamState(found, id, streamPlace(stream));
}

/** What was appended to a stream under a key; nothing where none was. */
export async function appendUnderKey(
  { collections }: Place,
  { incarnation, last }: StreamState,
  idempotencyKey: string,
  signal?: AbortSignal,
): Promise<Fields | undefined> {
  if (last.idempotencyKey === JSON.stringify(idempotencyKey)) return last;
  const found = await collections.keys.findOne({ _id: idempotencyId(incarnation, idempotencyKey) }, { signal });
  return (found as Fields | null) ?? undefined;
}

/** The offset at which what was appended to a stream under a key begins; nothing where nothing was. */
export async function offsetUnderKey(
  place: Place,
  stream: string,
  idempotencyKey: string,
  signal: AbortSignal | undefined,
): Promise<number | undefined> {
  const state = await streamState(place, stream, signal);
  const found = state && (await appendUnderKey(place, state, idempotencyKey, signal));
  return found && readCount(found.first, `${keyPlace(stream, idempotencyKey)}.first`);
}

/** Records of a stream, from appends that follow each other without a gap. */
export async function readStream(
  place: Place,
  stream: string,
  { from, limit, descending }: CheckedReadRange,
  signal: AbortSignal | undefined,
): Promise<readonly LogRecord[]> {
  const name = streamPlace(stream);
  for (;;) {
    throwIfAborted(signal);
    const state = await streamState(place, stream, signal);
    if (state === undefined) return [];
    const end = state.head - 1;
    const wanted = {
      limit,
      descending,
      from: descending ? Math.min(from ?? end, end) : Math.max(from ?? 0, state.start),
    };
    const reading = { place, name, state, signal };
    const { records, missing } = await collect(reading, wanted);
    if (missing === undefined) return records;
    await checkMoved(reading, missing);
  }
}

/** What there is up to the first value that is not there. */
async function collect(
  reading: Reading,
  { limit, descending, from }: Wanted,
): Promise<{ readonly records: readonly LogRecord[]; readonly missing?: number }> {
  const { start, head } = reading.state;
  const records: LogRecord[] = [];
  const step = descending ? -1 : 1;
  let next = from;
  const isThere = (): boolean => next >= start && next < head;
  if (!isThere()) return { records };
  const appends = descending ? appendsBefore(reading, next, limit) : appendsFrom(reading, next, limit);
  for await (const append of appends) {
    if (next < append.first || next >= endOf(append)) return { records, missing: next };
    const values = await readValues(append, reading.place.chunks, reading.name, reading.signal);
    if (values === undefined) return { records, missing: next };
    for (; isThere() && next >= append.first && next < endOf(append); next += step) {
      if (records.length === limit) return { records };
      records.push({ offset: next, value: values[next - append.first] as JsonValue });
    }
    if (!isThere() || records.length === limit) return { records };
  }
  return { records, missing: next };
}

async function* appendsFrom(reading: Reading, from: number, limit: number): AsyncGenerator<AppendFields> {
  const { last } = reading.state;
  if (from < last.first) yield* copies(reading, from, last.first, { order: 1, limit });
  yield last;
}

async function* appendsBefore(reading: Reading, from: number, limit: number): AsyncGenerator<AppendFields> {
  const { last } = reading.state;
  let before = last.first;
  if (from >= last.first) yield last;
  else {
    for await (const append of copies(reading, from, last.first, { order: 1, limit: 1 })) {
      before = append.first;
      yield append;
    }
  }
  yield* copies(reading, 0, before, { order: -1, limit });
}

/** The appends whose last value is in a range: each has one value at least, so as many are enough. */
async function* copies(
  { place, name, state, signal }: Reading,
  from: number,
  before: number,
  { order, limit }: { readonly order: 1 | -1; readonly limit: number },
): AsyncGenerator<AppendFields> {
  const { incarnation } = state;
  const filter = { _id: { $gte: appendId(incarnation, from), $lt: appendId(incarnation, before) } };
  const found = place.collections.appends.find(filter, { signal });
  for await (const document of found.sort({ _id: order }).limit(Math.min(limit, MOST_DOCUMENTS)))
    yield readAppendFields(document, name);
}

/** What is not there may have been truncated or deleted meanwhile. @throws `corrupt_data` when it was not. */
async function checkMoved({ place, name, state, signal }: Reading, missing: number): Promise<void> {
  const found = await place.collections.streams.findOne({ _id: state.id }, { signal });
  if (found === null) return;
  const now = readStreamState(found, state.id, name);
  if (now.incarnation === state.incarnation && now.start <= missing)
    throw corruptData(`${name} at ${missing}`, "the record is not there");
}
