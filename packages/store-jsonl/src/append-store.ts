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
import type { CommitQueue } from "./commit-queue.js";
import type { LogFiles } from "./log-files.js";
import type { LogWatch } from "./log-watch.js";

const CAPABILITIES: LogCapabilities = { durable: true, multiProcess: true, follow: true };

/** What the logs of a folder are made of. */
export interface LogParts {
  readonly gate: StoreGate;
  readonly queue: CommitQueue;
  readonly logs: LogFiles;
  readonly watch: LogWatch;
  /** Resolves when the folders are there. */
  opened(): Promise<unknown>;
}

/** The logs of a folder, one file per stream. */
export function appendStoreBehind({ gate, queue, logs, watch, opened }: LogParts): AppendStore {
  return {
    capabilities: CAPABILITIES,
    append: (stream, values, options) =>
      gate.run("append", options, async () => {
        const append = readAppend(stream, values, options);
        const texts = append.values.map((value) => JSON.stringify(value));
        const bytes = texts.reduce((sum, { length }) => sum + length, 0);
        await opened();
        const offset = await logs.use(stream, (log) =>
          queue.submit(log, { type: "append", append, texts }, { bytes, signal: options?.signal }),
        );
        watch.appended(stream);
        return offset as number;
      }),
    read: (stream, range) =>
      gate.run("read", range, async () => {
        readStreamName(stream);
        const checked = readReadRange(range);
        await opened();
        return logs.use(stream, (log) => log.read(checked));
      }),
    head: (stream, options) =>
      gate.run("head", options, async () => {
        readStreamName(stream);
        await opened();
        return logs.use(stream, (log) => log.head());
      }),
    offsetOf: (stream, key, options) =>
      gate.run("offsetOf", options, async () => {
        readStreamName(stream);
        readIdempotencyKey(key);
        await opened();
        return logs.use(stream, (log) => log.offsetOf(key));
      }),
    truncate: (stream, options) =>
      gate.run("truncate", options, async () => {
        readStreamName(stream);
        const before = readTruncate(options);
        await opened();
        await logs.use(stream, (log) =>
          queue.submit(log, { type: "truncate", before }, { bytes: 0, signal: options.signal }),
        );
      }),
    streams: (prefix, range) =>
      gate.run("streams", range, async () => {
        const query = readStreamsQuery(prefix, range);
        await opened();
        return logs.names(query);
      }),
    delete: (stream, options) =>
      gate.run("delete", options, async () => {
        readStreamName(stream);
        await opened();
        const gone = await logs.use(stream, (log) =>
          queue.submit(log, { type: "delete" }, { bytes: 0, signal: options?.signal }),
        );
        return gone as boolean;
      }),
    watch: (stream, onAppend, options) =>
      gate.run("watch", options, async () => {
        readStreamName(stream);
        await opened();
        return watch.add(stream, onAppend);
      }),
  };
}
