import {
  type AppendOptions,
  type AppendStore,
  canonicalJson,
  type JsonValue,
  type LogRecord,
  type ReadRange,
} from "@tinyagents/core";
import { copyJson } from "./copy-json.js";
import { type Gate, gate } from "./gate.js";
import { checkFields, checkWholeNumber, conflicting, readOrder, refused } from "./refuse.js";

interface Stream {
  /** Offset of the first value that is kept. */
  start: number;
  readonly values: JsonValue[];
  /** What was appended under each idempotency key, as long as the stream lives. */
  readonly byKey: Map<string, { readonly offset: number; readonly values: readonly JsonValue[] }>;
}

/** Ordered logs in this process's memory, gone when it ends. Everything is copied on its way in and out. */
export function memoryAppendStore(): AppendStore {
  return appendStoreBehind(gate("memory log"));
}

/** Logs whose every call passes a gate. */
export function appendStoreBehind(gate: Gate): AppendStore {
  const streams = new Map<string, Stream>();
  return {
    capabilities: { durable: false, multiProcess: false },
    async append(name, values, options = {}) {
      gate.enter("append", options);
      checkName(name);
      const copied = copyValues(values);
      const stream = streams.get(name) ?? { start: 0, values: [], byKey: new Map() };
      const offset = append(name, stream, copied, options);
      streams.set(name, stream);
      return offset;
    },
    async read(name, range = {}) {
      gate.enter("read", range);
      const stream = streams.get(checkName(name));
      return readStream(stream ?? { start: 0, values: [] }, range);
    },
    async head(name, options) {
      gate.enter("head", options);
      const stream = streams.get(checkName(name));
      return stream === undefined ? 0 : headOf(stream);
    },
    async truncate(name, options) {
      gate.enter("truncate", options);
      const stream = streams.get(checkName(name));
      const before = checkWholeNumber(options?.before, 0, "before");
      if (stream === undefined || before <= stream.start) return;
      stream.start += stream.values.splice(0, before - stream.start).length;
    },
    async streams(prefix = "", options) {
      gate.enter("streams", options);
      if (typeof prefix !== "string") throw refused("prefix", "a text is expected");
      return [...streams.keys()].filter((name) => name.startsWith(prefix)).sort();
    },
    async delete(name, options) {
      gate.enter("delete", options);
      return streams.delete(checkName(name));
    },
  };
}

function append(name: string, stream: Stream, values: readonly JsonValue[], options: AppendOptions): number {
  const { expectedOffset, idempotencyKey } = options;
  if (idempotencyKey !== undefined && (typeof idempotencyKey !== "string" || idempotencyKey === ""))
    throw refused("idempotencyKey", "a text that is not empty is expected");
  const earlier = idempotencyKey === undefined ? undefined : stream.byKey.get(idempotencyKey);
  if (earlier !== undefined) {
    if (canonicalJson(earlier.values) === canonicalJson(values)) return earlier.offset;
    throw refused("idempotencyKey", `${JSON.stringify(idempotencyKey)} was used in stream "${name}" with other values`);
  }
  const offset = headOf(stream);
  if (expectedOffset !== undefined && expectedOffset !== offset) {
    throw conflicting(`stream "${name}"`, checkWholeNumber(expectedOffset, 0, "expectedOffset"), offset);
  }
  for (const value of values) stream.values.push(value);
  if (idempotencyKey !== undefined) stream.byKey.set(idempotencyKey, { offset, values });
  return offset;
}

function readStream({ start, values }: Pick<Stream, "start" | "values">, range: ReadRange): readonly LogRecord[] {
  checkFields(range, ["from", "limit", "order", "signal"], "range");
  const limit = checkWholeNumber(range.limit ?? 1_000, 1, "limit");
  const head = start + values.length;
  const asked = range.from === undefined ? undefined : checkWholeNumber(range.from, 0, "from");
  const record = (offset: number): LogRecord => ({ offset, value: copyJson(values[offset - start], "value") });
  const records: LogRecord[] = [];
  if (readOrder(range.order)) {
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

function copyValues(values: readonly JsonValue[]): readonly JsonValue[] {
  if (!Array.isArray(values) || values.length === 0)
    throw refused("values", "an array of one or more values is expected");
  return copyJson(values, "values") as readonly JsonValue[];
}

function checkName(name: string): string {
  if (typeof name === "string" && name !== "") return name;
  throw refused("stream", "a name that is not empty is expected");
}
