import type { Place } from "@tinyagents/conformance";
import {
  type AppendOptions,
  type AppendStore,
  canonicalJson,
  type JsonValue,
  type LogCapabilities,
  type LogRecord,
  type ReadRange,
  readStreamsQuery,
} from "@tinyagents/core";
import { checkFields, checkOrder, checkWhole, conflicting, enter, jsonText, refused } from "./stored.js";

interface Stream {
  records: LogRecord[];
  head: number;
  readonly byKey: Map<string, { readonly offset: number; readonly text: string }>;
}

/** What all logs on a place share. */
export interface LogMemory {
  readonly streams: Map<string, Stream>;
  /** Who watches which stream. */
  readonly watching: Set<{ readonly name: string; call(): void }>;
  /** How often the place was opened. */
  opened: number;
}

/** Makes a sound log unsound. Called for each that is opened. */
export type LogFault = (log: AppendStore, memory: LogMemory) => AppendStore;

/** A place that outlives its logs, for as many as there are. */
export function logPlace(
  change: LogFault = (log) => log,
  claims: Partial<LogCapabilities> = {},
): Place<{ readonly log: AppendStore; close(): Promise<void> }> {
  const memory: LogMemory = { streams: new Map(), watching: new Set(), opened: 0 };
  const capabilities = { ...CAPABILITIES, ...claims };
  return {
    open() {
      memory.opened += 1;
      let isClosed = false;
      const close = async (): Promise<void> => {
        isClosed = true;
        for (const { call } of memory.watching) call();
      };
      const { watch, ...log } = logOn(memory, () => isClosed, capabilities);
      return {
        log: { ...change(capabilities.follow ? { ...log, watch } : log, memory) },
        close,
      };
    },
  };
}

/** A log that can be watched. */
export type WatchedLog = AppendStore & Required<Pick<AppendStore, "watch">>;

const CAPABILITIES: LogCapabilities = { durable: true, multiProcess: true, follow: true };

/** One log on a place. */
export function logOn(
  { streams, watching }: LogMemory,
  isClosed: () => boolean,
  capabilities: LogCapabilities = CAPABILITIES,
): WatchedLog {
  const named = (name: string): Stream => {
    if (typeof name !== "string" || name === "") throw refused("stream");
    return streams.get(name) ?? { records: [], head: 0, byKey: new Map() };
  };
  return {
    capabilities,
    async append(name, values, options = {}) {
      enter(isClosed(), "append", options);
      const stream = named(name);
      if (!Array.isArray(values) || values.length === 0) throw refused("values");
      const offset = append(name, stream, JSON.parse(jsonText(values, "values")), options);
      streams.set(name, stream);
      for (const one of watching) if (one.name === name) queueMicrotask(one.call);
      return offset;
    },
    async read(name, range = {}) {
      enter(isClosed(), "read", range);
      return structuredClone(read(named(name), range));
    },
    async head(name, options) {
      enter(isClosed(), "head", options);
      return named(name).head;
    },
    async offsetOf(name, key, options) {
      enter(isClosed(), "offsetOf", options);
      return named(name).byKey.get(checkKey(key))?.offset;
    },
    async truncate(name, { before, signal }) {
      enter(isClosed(), "truncate", { signal });
      checkWhole(before ?? Number.NaN, 0, "before");
      const stream = named(name);
      stream.records = stream.records.filter(({ offset }) => offset >= before);
    },
    async streams(prefix, range) {
      enter(isClosed(), "streams", range);
      const { prefix: start, after = "", limit } = readStreamsQuery(prefix, range);
      const names = [...streams.keys()].filter((name) => name.startsWith(start) && name > after);
      return names.sort().slice(0, limit);
    },
    async delete(name, options) {
      enter(isClosed(), "delete", options);
      named(name);
      return streams.delete(name);
    },
    async watch(name, onAppend, options) {
      enter(isClosed(), "watch", options);
      named(name);
      const one = { name, call: () => onAppend() };
      watching.add(one);
      return () => void watching.delete(one);
    },
  };
}

function append(name: string, stream: Stream, values: readonly JsonValue[], options: AppendOptions): number {
  const { expectedOffset, idempotencyKey } = options;
  checkWhole(expectedOffset, 0, "expectedOffset");
  if (idempotencyKey !== undefined) checkKey(idempotencyKey);
  const text = canonicalJson(values);
  const earlier = idempotencyKey === undefined ? undefined : stream.byKey.get(idempotencyKey);
  if (earlier?.text === text) return earlier.offset;
  if (earlier !== undefined) throw refused("idempotencyKey");
  const offset = stream.head;
  if (expectedOffset !== undefined && expectedOffset !== offset) throw conflicting(name, expectedOffset, offset);
  for (const value of values) stream.records.push({ offset: stream.head++, value });
  if (idempotencyKey !== undefined) stream.byKey.set(idempotencyKey, { offset, text });
  return offset;
}

function checkKey(key: string): string {
  if (typeof key !== "string" || key === "") throw refused("idempotencyKey");
  return key;
}

function read({ records }: Stream, range: ReadRange): readonly LogRecord[] {
  checkFields(range, ["from", "limit", "order", "signal"]);
  const { from, limit = 1_000, order } = range;
  checkWhole(from, 0, "from");
  checkWhole(limit, 1, "limit");
  checkOrder(order);
  if (order === "descending") {
    const last = from ?? Number.POSITIVE_INFINITY;
    return records
      .filter(({ offset }) => offset <= last)
      .reverse()
      .slice(0, limit);
  }
  return records.filter(({ offset }) => offset >= (from ?? 0)).slice(0, limit);
}
