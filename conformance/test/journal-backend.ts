import {
  type AppendStore,
  type CheckedWrite,
  type CheckpointStore,
  type JsonObject,
  type JsonValue,
  type LogCapabilities,
  readAppend,
  readBatch,
  readDelete,
  readPut,
  readReadRange,
  readStreamName,
  readTruncate,
  type Store,
  type StoreCapabilities,
  type StoreValue,
  storeGate,
  systemClock,
  type TaskStore,
} from "@tinyagents/core";
import { journal } from "./journal.js";
import { journaled, journaledCheckpoints } from "./journaled.js";
import { type CheckpointMemory, checkpointsOn } from "./memory-checkpoints.js";
import { type LogMemory, logOn } from "./memory-log.js";
import { type StoreMemory, storeOn } from "./memory-store.js";
import { tasksOn } from "./memory-tasks.js";

/** A double of a durable backend for several processes: stores in memory that a journal in a folder is played to. */
export interface JournalBackend {
  readonly store: Store;
  readonly log: AppendStore;
  readonly checkpoints: CheckpointStore;
  readonly tasks: TaskStore;
  /** Of the tasks. */
  readonly capabilities: Pick<LogCapabilities, "durable" | "multiProcess">;
  close(): Promise<void>;
}

/** A write, as the journal keeps it: its arguments are checked, and its outcome follows from those before it. */
interface Command {
  readonly atMs: number;
  readonly on: "store" | "log" | "checkpoints" | "tasks";
  readonly call: string;
  readonly args: readonly unknown[];
}

const STORE: StoreCapabilities = { durable: true, multiProcess: true, atomicBatch: true, ttl: true };
const LOG: LogCapabilities = { durable: true, multiProcess: true, follow: true };

/** How often a watch looks, ms. */
const LOOK_MS = 5;

export function journalBackend(folder: string, options: { readonly onWrite?: () => void } = {}): JournalBackend {
  const gate = storeGate("journal");
  let nowMs = 0;
  const records: StoreMemory = {
    clock: { now: () => nowMs },
    records: new Map(),
    lastVersion: 0,
    opened: 1,
    capabilities: STORE,
  };
  const streams: LogMemory = { streams: new Map(), watching: new Set(), opened: 1 };
  const store = storeOn(records, () => false);
  const log = logOn(streams, () => false, LOG);
  const lineages: CheckpointMemory = { threads: new Map(), opened: 1 };
  const checkpoints = checkpointsOn(lineages, { durable: true, multiProcess: true });
  const tasks = tasksOn({ clock: records.clock, tasks: new Map(), opened: 1 });
  const targets: { readonly [T in Command["on"]]: object } = { store, log, checkpoints, tasks };
  /** Who watches, and what ends that. */
  const watches = new Map<() => void, ReturnType<typeof setInterval>>();

  const apply = ({ atMs, on, call, args }: Command): Promise<unknown> => {
    nowMs = atMs;
    const target = targets[on] as { readonly [name: string]: (...given: readonly unknown[]) => Promise<unknown> };
    return target[call]?.(...args) as Promise<unknown>;
  };
  const played = journal(
    folder,
    (command) => {
      const outcome = apply(decode(command) as unknown as Command);
      outcome.catch(() => undefined);
      return outcome;
    },
    options,
  );
  played.catchUp();

  const write = async (on: Command["on"], call: string, ...args: readonly unknown[]): Promise<unknown> =>
    played.commit(encode({ atMs: systemClock.now(), on, call, args }) as JsonValue);
  const upToDate = (): void => {
    played.catchUp();
    nowMs = systemClock.now();
  };
  const writeOf = (checked: CheckedWrite): object => {
    const { type, key, ...rest } = checked;
    if (type === "delete") return { type, key, options: rest };
    const { value, ...options } = rest as { readonly value: StoreValue };
    return { type, key, value, options };
  };

  return {
    store: {
      capabilities: STORE,
      get: (key, options) =>
        gate.run("get", options, () => {
          upToDate();
          return store.get(key);
        }),
      put: (key, value, options) =>
        gate.run("put", options, () => {
          const { type: _, key: name, value: content, ...terms } = readPut(key, value, options, STORE);
          return write("store", "put", name, content, terms) as Promise<string>;
        }),
      delete: (key, options) =>
        gate.run("delete", options, () => {
          const { type: _, key: name, ...terms } = readDelete(key, options);
          return write("store", "delete", name, terms) as Promise<boolean>;
        }),
      list: (query, options) =>
        gate.run("list", options, () => {
          upToDate();
          return store.list(query);
        }),
      batch: (operations, options) =>
        gate.run(
          "batch",
          options,
          () => write("store", "batch", readBatch(operations, STORE).map(writeOf)) as Promise<readonly string[]>,
        ),
    },
    log: {
      capabilities: LOG,
      append: (stream, values, options) =>
        gate.run("append", options, () => {
          const { stream: name, values: copied, ...terms } = readAppend(stream, values, options);
          return write("log", "append", name, copied, terms) as Promise<number>;
        }),
      read: (stream, range) =>
        gate.run("read", range, () => {
          readReadRange(range);
          upToDate();
          return log.read(stream, range);
        }),
      head: (stream, options) =>
        gate.run("head", options, () => {
          upToDate();
          return log.head(stream);
        }),
      offsetOf: (stream, key, options) =>
        gate.run("offsetOf", options, () => {
          upToDate();
          return log.offsetOf(stream, key);
        }),
      truncate: (stream, options) =>
        gate.run("truncate", options, async () => {
          await write("log", "truncate", readStreamName(stream), { before: readTruncate(options) });
        }),
      streams: (prefix, range) =>
        gate.run("streams", range, () => {
          upToDate();
          return log.streams(prefix, range);
        }),
      delete: (stream, options) =>
        gate.run("delete", options, () => write("log", "delete", readStreamName(stream)) as Promise<boolean>),
      watch: (stream, onAppend, options) =>
        gate.run("watch", options, async () => {
          upToDate();
          let seen = await log.head(readStreamName(stream));
          const look = async (): Promise<void> => {
            upToDate();
            const head = await log.head(stream);
            if (head !== seen) onAppend();
            seen = head;
          };
          const timer = setInterval(() => void look(), LOOK_MS);
          const ring = (): void => onAppend();
          watches.set(ring, timer);
          return () => {
            clearInterval(timer);
            watches.delete(ring);
          };
        }),
    },
    checkpoints: journaledCheckpoints(checkpoints, (call, ...args) => write("checkpoints", call, ...args), upToDate),
    tasks: journaled(
      tasks,
      { create: 1, act: 2, prune: 1 },
      (call, ...args) => write("tasks", call, ...args),
      upToDate,
    ),
    capabilities: LOG,
    close: () =>
      gate.close(() => {
        for (const [ring, timer] of watches) {
          clearInterval(timer);
          ring();
        }
      }),
  };
}

/** Bytes have no JSON: they are written as a list of numbers under a name of their own. */
function encode(value: unknown): unknown {
  if (value instanceof Uint8Array) return { [BYTES]: Buffer.from(value).toString("base64") };
  if (Array.isArray(value)) return value.map(encode);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, encode(inner)]));
}

function decode(value: JsonValue): unknown {
  if (Array.isArray(value)) return value.map(decode);
  if (typeof value !== "object" || value === null) return value;
  const base64 = (value as JsonObject)[BYTES];
  if (typeof base64 === "string") return Uint8Array.from(Buffer.from(base64, "base64"));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, decode(inner)]));
}

/** No value of a check has such a key. */
const BYTES = "bytes of the journal";
