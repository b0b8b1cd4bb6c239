import {
  type AppendStore,
  type LogCapabilities,
  readAppend,
  readIdempotencyKey,
  readReadRange,
  readStreamName,
  readStreamsQuery,
  readTruncate,
  type StoreCallOptions,
  type StoreGate,
} from "@tinyagents/core";
import type { CommitQueue } from "./commit-queue.js";
import { type LogOperation, logAppend } from "./log-file.js";
import type { LogFiles } from "./log-files.js";
import type { LogWatch } from "./log-watch.js";
import type { StreamNames } from "./stream-names.js";

const CAPABILITIES: LogCapabilities = { durable: true, multiProcess: true, follow: true };

/** What the logs of a folder are made of. */
export interface LogParts {
  readonly gate: StoreGate;
  readonly queue: CommitQueue;
  readonly logs: LogFiles;
  readonly names: StreamNames;
  readonly watch: LogWatch;
  /** Resolves when the folders are there. */
  opened(): Promise<unknown>;
}

/** The logs of a folder, one file per stream. */
export function appendStoreBehind({ gate, queue, logs, names, watch, opened }: LogParts): AppendStore {
  const write = <T>(stream: string, operation: LogOperation, options: StoreCallOptions | undefined): Promise<T> =>
    queue.submit(logs.of(stream), operation, { bytes: bytesOf(operation), signal: options?.signal }) as Promise<T>;
  return {
    capabilities: CAPABILITIES,
    append: (stream, values, options) =>
      gate.run("append", options, () => write<number>(stream, logAppend(readAppend(stream, values, options)), options)),
    read: (stream, range) =>
      gate.run("read", range, async () => {
        readStreamName(stream);
        const checked = readReadRange(range);
        await opened();
        return logs.read(stream, (log) => log.read(checked));
      }),
    head: (stream, options) =>
      gate.run("head", options, async () => {
        readStreamName(stream);
        await opened();
        return logs.read(stream, (log) => log.head());
      }),
    offsetOf: (stream, key, options) =>
      gate.run("offsetOf", options, async () => {
        readStreamName(stream);
        readIdempotencyKey(key);
        await opened();
        return logs.read(stream, (log) => log.offsetOf(key));
      }),
    truncate: (stream, options) =>
      gate.run("truncate", options, async () => {
        readStreamName(stream);
        const before = readTruncate(options);
        await write(stream, { type: "truncate", before }, options);
      }),
    streams: (prefix, range) =>
      gate.run("streams", range, async () => {
        const query = readStreamsQuery(prefix, range);
        await opened();
        return names.page(query);
      }),
    delete: (stream, options) =>
      gate.run("delete", options, () => {
        readStreamName(stream);
        return write<boolean>(stream, { type: "delete" }, options);
      }),
    watch: (stream, onAppend, options) =>
      gate.run("watch", options, async () => {
        readStreamName(stream);
        await opened();
        return watch.add(stream, onAppend);
      }),
  };
}

/** About how much will be written. */
function bytesOf(operation: LogOperation): number {
  if (operation.type !== "append") return 0;
  let bytes = 0;
  for (const { length } of operation.texts) bytes += length;
  return bytes;
}
