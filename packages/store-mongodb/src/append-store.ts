import {
  type AppendStore,
  type LogCapabilities,
  readAppend,
  readIdempotencyKey,
  readReadRange,
  readStreamName,
  readStreamsQuery,
  readTruncate,
  type StoreGate,
} from "@tinyagents/core";
import { call } from "./call.js";
import { MOST_DOCUMENTS } from "./driver.js";
import { idOfKey, idsOfNames } from "./fields.js";
import { deleteStream, truncateStream } from "./log-cleaning.js";
import { offsetUnderKey, readStream, streamState } from "./log-reads.js";
import { LogWrites } from "./log-writes.js";
import type { Place } from "./place.js";
import { nameOf } from "./stream-document.js";

const CAPABILITIES: LogCapabilities = { durable: true, multiProcess: true, follow: false };

/** Logs of a place, behind a gate. */
export function appendStoreBehind(gate: StoreGate, place: Place): AppendStore {
  const writes = new LogWrites(place);
  return {
    capabilities: CAPABILITIES,
    append: (stream, values, options) =>
      call(gate, "append", options, () => writes.append(readAppend(stream, values, options), options?.signal)),
    read: (stream, range) =>
      call(gate, "read", range, () => readStream(place, readStreamName(stream), readReadRange(range), range?.signal)),
    head: (stream, options) =>
      call(
        gate,
        "head",
        options,
        async () => (await streamState(place, readStreamName(stream), options?.signal))?.head ?? 0,
      ),
    offsetOf: (stream, key, options) =>
      call(gate, "offsetOf", options, () =>
        offsetUnderKey(place, readStreamName(stream), readIdempotencyKey(key), options?.signal),
      ),
    truncate: (stream, options) =>
      call(gate, "truncate", options, () => truncateStream(place, readStreamName(stream), readTruncate(options))),
    streams: (prefix, range) =>
      call(gate, "streams", range, async () => {
        const { prefix: start, after, limit } = readStreamsQuery(prefix, range);
        const { from, to } = idsOfNames(start);
        const filter = { _id: { $gte: from, $lt: to, ...(after === undefined ? {} : { $gt: idOfKey([after]) }) } };
        const found = place.collections.streams.find(filter, { projection: { _id: 1 }, signal: range?.signal });
        return (await found.sort({ _id: 1 }).limit(Math.min(limit, MOST_DOCUMENTS)).toArray()).map(nameOf);
      }),
    delete: (stream, options) =>
      call(gate, "delete", options, () => {
        writes.forget(readStreamName(stream));
        return deleteStream(place, stream);
      }),
  };
}
