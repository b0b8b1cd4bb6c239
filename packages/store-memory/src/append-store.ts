import {
  type AppendStore,
  type CheckedAppend,
  type CheckedReadRange,
  checkRepeatedAppend,
  copyStoredJson,
  type LogRecord,
  readAppend,
  readIdempotencyKey,
  readReadRange,
  readStreamName,
  readStreamsQuery,
  readTruncate,
  type StoreGate,
  storeGate,
  writeConflict,
} from "@tinyagents/core";
import { type Stream, Streams } from "./streams.js";
import { newWatchers, type Watchers } from "./watchers.js";

/** Ordered logs in this process's memory, gone when it ends. Everything is copied on its way in and out. */
export function memoryAppendStore(): AppendStore {
  return appendStoreBehind(storeGate("memory log"), newWatchers());
}

/** Logs whose every call passes a gate. */
export function appendStoreBehind(gate: StoreGate, watchers: Watchers): AppendStore {
  const streams = new Streams();
  return {
    capabilities: { durable: false, multiProcess: false, follow: true },
    async append(name, values, options) {
      gate.enter("append", options);
      const append = readAppend(name, values, options);
      const known = streams.get(name);
      const stream = known ?? { start: 0, values: [], byKey: new Map() };
      const offset = appendTo(stream, append);
      if (known === undefined) streams.add(name, stream);
      watchers.ring(name);
      return offset;
    },
    async read(name, range) {
      gate.enter("read", range);
      const stream = streams.get(readStreamName(name));
      return readFrom(stream ?? { start: 0, values: [] }, readReadRange(range));
    },
    async head(name, options) {
      gate.enter("head", options);
      const stream = streams.get(readStreamName(name));
      return stream === undefined ? 0 : headOf(stream);
    },
    async offsetOf(name, key, options) {
      gate.enter("offsetOf", options);
      const stream = streams.get(readStreamName(name));
      const asked = readIdempotencyKey(key);
      return stream?.byKey.get(asked)?.offset;
    },
    async truncate(name, options) {
      gate.enter("truncate", options);
      const stream = streams.get(readStreamName(name));
      const before = readTruncate(options);
      if (stream === undefined || before <= stream.start) return;
      stream.start += stream.values.splice(0, before - stream.start).length;
    },
    async streams(prefix, range) {
      gate.enter("streams", range);
      return streams.names(readStreamsQuery(prefix, range));
    },
    async delete(name, options) {
      gate.enter("delete", options);
      return streams.delete(readStreamName(name));
    },
    async watch(name, onAppend, options) {
      gate.enter("watch", options);
      return watchers.add(readStreamName(name), onAppend);
    },
  };
}

function appendTo(stream: Stream, append: CheckedAppend): number {
  const { values, expectedOffset, idempotencyKey } = append;
  const earlier = idempotencyKey === undefined ? undefined : stream.byKey.get(idempotencyKey);
  if (earlier !== undefined) {
    checkRepeatedAppend(append, earlier.values);
    return earlier.offset;
  }
  const offset = headOf(stream);
  if (expectedOffset !== undefined && expectedOffset !== offset)
    throw writeConflict(`stream "${append.stream}"`, expectedOffset, offset);
  for (const value of values) stream.values.push(value);
  if (idempotencyKey !== undefined) stream.byKey.set(idempotencyKey, { offset, values });
  return offset;
}

function readFrom(
  { start, values }: Pick<Stream, "start" | "values">,
  { from: asked, limit, descending }: CheckedReadRange,
): readonly LogRecord[] {
  const head = start + values.length;
  const record = (offset: number): LogRecord => ({ offset, value: copyStoredJson(values[offset - start], "value") });
  const records: LogRecord[] = [];
  if (descending) {
    const from = Math.min(asked ?? head, head - 1);
    for (let offset = from; offset >= start && records.length < limit; offset--) records.push(record(offset));
  } else {
    const from = Math.max(asked ?? start, start);
    for (let offset = from; offset < head && records.length < limit; offset++) records.push(record(offset));
  }
  return records;
}

function headOf({ start, values }: Stream): number {
  return start + values.length;
}
