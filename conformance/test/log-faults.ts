import { type AppendStore, type JsonValue, TinyAgentsError } from "@tinyagents/core";
import { type LogFault, type LogMemory, logOn } from "./memory-log.js";
import { turn } from "./store-faults.js";
import { conflicting } from "./stored.js";

type Append = AppendStore["append"];
type Read = AppendStore["read"];

function appends(change: (append: Append, log: AppendStore) => Append): LogFault {
  return (log) => ({ ...log, append: change(log.append, log) });
}

function reads(change: (read: Read, log: AppendStore) => Read): LogFault {
  return (log) => ({ ...log, read: change(log.read, log) });
}

/** Stores something else than what it is given. */
function storing(change: (value: JsonValue) => JsonValue): LogFault {
  return appends(
    (append) => (stream, values, options) =>
      append(stream, Array.isArray(values) ? values.map(change) : values, options),
  );
}

/** Uses other names than it is given. */
function named(change: (name: string) => string): LogFault {
  return (log) => ({
    ...log,
    append: (stream, values, options) => log.append(change(stream), values, options),
    read: (stream, range) => log.read(change(stream), range),
    head: (stream, options) => log.head(change(stream), options),
    offsetOf: (stream, key, options) => log.offsetOf(change(stream), key, options),
    truncate: (stream, options) => log.truncate(change(stream), options),
    delete: (stream, options) => log.delete(change(stream), options),
  });
}

/** Looks where the head is, and appends later. */
const checkThenAppend: LogFault = appends((append, log) => async (stream, values, options = {}) => {
  const { expectedOffset, idempotencyKey } = options;
  const head = await log.head(stream);
  if (expectedOffset !== undefined && expectedOffset !== head) throw conflicting(stream, expectedOffset, head);
  await turn();
  const offset = await append(stream, values);
  return idempotencyKey === undefined ? offset : head;
});

/** Appends its values one by one. */
const oneByOne: LogFault = appends((append) => async (stream, values, options) => {
  const offsets: number[] = [];
  for (const value of values) {
    offsets.push(await append(stream, [value], options));
    await turn();
  }
  return offsets[0] as number;
});

/** Numbers the records that are left anew, from 0. */
const renumbered = reads(
  (read) => async (stream, range) => (await read(stream, range)).map(({ value }, offset) => ({ offset, value })),
);

function reopening(happen: (memory: LogMemory) => void): LogFault {
  return (log, memory) => {
    if (memory.opened > 1) happen(memory);
    return log;
  };
}

function roundTrip(value: JsonValue): JsonValue {
  return (JSON.parse(JSON.stringify([value])) as JsonValue[])[0] as JsonValue;
}

function sortKeys(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** For every check of a log, a fault that it must find. */
export const logFaults: { readonly [check: string]: LogFault } = {
  "gives back every value with its exact content": storing((value) =>
    typeof value === "string" ? value.normalize("NFC") : value,
  ),
  "gives back large and deep values, and refuses those of more than 256 levels": storing((value) =>
    typeof value === "string" ? value.slice(0, 65_536) : value,
  ),
  "gives back values of several MB exactly, and small ones beside them, in one page": reads(
    (read) =>
      async (...args) => {
        let left = 5_000_000;
        return (await read(...args)).filter(({ value }) => {
          left -= JSON.stringify(value).length;
          return left > 0;
        });
      },
  ),
  "keeps the order of the keys in JSON, -0 as 0, and a key named __proto__ as a key": storing(sortKeys),
  "copies values on their way in and out": appends((append) => async (...args) => {
    await turn();
    return append(...args);
  }),
  "adds all values of an append or none, and names what is not JSON": storing((value) => {
    try {
      return roundTrip(value);
    } catch {
      return value;
    }
  }),
  "numbers records from 0 and gives the offset of the first that was added": appends(
    (append) =>
      async (...args) =>
        (await append(...args)) + args[1].length - 1,
  ),
  "keeps 1,000 values of one append in the order they were given": appends(
    (append) => (stream, values, options) =>
      append(
        stream,
        [...values].sort((one, other) => (String(one) < String(other) ? -1 : 1)),
        options,
      ),
  ),
  "refuses an append of nothing and a stream without a name": appends(
    (append) => async (stream, values, options) => (values.length === 0 ? 0 : append(stream, values, options)),
  ),
  "refuses an append whose expected offset is not the head": appends(
    (append) => (stream, values, options) => append(stream, values, { ...options, expectedOffset: undefined }),
  ),
  "refuses an expected offset and a key that cannot be": appends(
    (append) => (stream, values, options) =>
      append(stream, values, { ...options, idempotencyKey: options?.idempotencyKey || undefined }),
  ),
  "adds nothing when an append is repeated under its key, though the head has moved on": appends(
    (append, log) =>
      async (stream, values, options = {}) => {
        const head = await log.head(stream);
        const { expectedOffset = head } = options;
        if (expectedOffset !== head) throw conflicting(stream, expectedOffset, head);
        return append(stream, values, options);
      },
  ),
  "refuses other values under a key that was used": appends((append) => {
    const used = new Map<string, Promise<number>>();
    return (stream, values, options) => {
      const key = options?.idempotencyKey ?? "";
      const outcome = used.get(key) ?? append(stream, values, options);
      if (key !== "") used.set(key, outcome);
      return outcome;
    };
  }),
  "tells where what was appended under a key begins": (log) => ({
    ...log,
    async offsetOf(stream, key, options) {
      const offset = await log.offsetOf(stream, key, options);
      const [first] = await log.read(stream);
      return offset !== undefined && offset < (first?.offset ?? 0) ? undefined : offset;
    },
  }),
  "does not remember the key of an append that failed": appends((append) => {
    const used = new Set<string>();
    return async (stream, values, options = {}) => {
      if (options.idempotencyKey !== undefined && used.has(options.idempotencyKey)) return 0;
      used.add(options.idempotencyKey ?? "none");
      return append(stream, values, options);
    };
  }),

  "has no records, no head and no name for a stream that nobody has written": (log) => ({
    ...log,
    async truncate(stream, { before }) {
      await log.append(stream, ["start"]);
      await log.truncate(stream, { before });
    },
  }),
  "reads ranges forward and backward": reads((read) => async (stream, { order, ...range } = {}) => {
    const records = await read(stream, range);
    return order === "descending" ? [...records].reverse() : records;
  }),
  "reads at most 1,000 records when nobody says how many": reads(
    (read) => (stream, range) => read(stream, { limit: 5_000, ...range }),
  ),
  "refuses ranges that cannot be, and fields that it does not know": reads(
    (read) =>
      (stream, { from, limit, order } = {}) =>
        read(stream, { from, limit, order }),
  ),
  "drops records before an offset and leaves the others theirs": renumbered,
  "keeps its head, its name and its keys when all records are dropped": (log) => ({
    ...log,
    async truncate(stream, { before }) {
      if (before >= (await log.head(stream))) await log.delete(stream);
      else await log.truncate(stream, { before });
    },
  }),
  "refuses to truncate before what is no offset": (log) => ({
    ...log,
    truncate: (stream, { before }) => log.truncate(stream, { before: Math.max(0, Math.round(before) || 0) }),
  }),
  "lists streams that start with a text, in code unit order": (log) => ({
    ...log,
    streams: async (prefix) => [...(await log.streams(prefix))].sort((one, other) => one.localeCompare(other)),
  }),
  "lists streams in steps, also while others come and go": (log) => ({
    ...log,
    async streams(prefix = "", { after = "", limit = 1_000, ...rest } = {}) {
      await log.streams(prefix, { after, limit, ...rest });
      const all = await log.streams(prefix);
      return all.slice(all.indexOf(after) + 1).slice(0, limit);
    },
  }),
  "forgets a stream that is deleted: its name starts from 0 again and its keys are free": (log) => ({
    ...log,
    async delete(stream) {
      const head = await log.head(stream);
      await log.truncate(stream, { before: head });
      return head > 0;
    },
  }),
  "takes every hostile name as it is, beside its neighbours": named((name) =>
    typeof name === "string" ? name.replaceAll("\u0000", "") || name : name,
  ),

  "gives each of 1,000 appends at once an offset of its own, without a gap": appends(
    (append, log) =>
      async (...args) => {
        const head = await log.head(args[0]);
        await turn();
        await append(...args);
        return head;
      },
  ),
  "keeps the values of each append side by side, and in order, when many come at once": oneByOne,
  "lets exactly one of many win that append at the same offset at once": checkThenAppend,
  "adds once what many append under the same key at once, and tells all the same offset": checkThenAppend,
  "shows readers all of an append or nothing, and no record before those in front of it": oneByOne,
  "neither repeats nor misses a record when it is read in steps while others append and truncate": renumbered,

  "says of each capability yes or no": (log) => ({
    ...log,
    capabilities: { durable: true, multiProcess: undefined as never, follow: false },
  }),
  "still has every record, exactly as it was, when the place is opened again": reopening(({ streams }) => {
    for (const stream of streams.values()) {
      if (stream.records.length < 2) continue;
      stream.records = stream.records.slice(0, -1);
      stream.head -= 1;
    }
  }),
  "goes on with its offsets and keys when the place is opened again, also after a truncate": reopening(
    ({ streams }) => {
      for (const stream of streams.values()) stream.byKey.clear();
    },
  ),
  "gives each append of several logs on a place an offset of its own, that all see at once": (log) => {
    let head = 0;
    return {
      ...log,
      async append(stream, values) {
        await log.append(stream, values);
        head += values.length;
        return head - values.length;
      },
    };
  },
  "lets exactly one of several logs on a place win, and adds once what they all add under one key": checkThenAppend,
  "fails every call with store_failed once it is closed, however often it is closed": (log, memory) => ({
    ...log,
    streams: (prefix) => logOn(memory, () => false).streams(prefix),
  }),
  "lets the appends under way end when it is closed, and keeps those that it acknowledged": appends(
    (append) =>
      async (...args) => {
        setTimeout(() => append(...args).catch(() => undefined), 0);
        return 0;
      },
  ),
  "does nothing when it is cancelled before": (log) => ({ ...log, head: (stream) => log.head(stream) }),
  "fails with the reason when it is cancelled for one of ours": reads((read) => async (stream, range) => {
    if (range?.signal?.aborted === true) throw new TinyAgentsError("cancelled", "Stopped.", { details: {} });
    return read(stream, range);
  }),
  "does an append whole or not at all when it is cancelled under way, and goes on": appends(
    (append) => async (stream, values, options) => {
      for (const value of values) {
        await append(stream, [value], options);
        await turn();
      }
      return 0;
    },
  ),
  "leaves no listener on the caller's signal": reads((read) => (stream, range) => {
    range?.signal?.addEventListener("abort", () => undefined);
    return read(stream, range);
  }),

  "behaves like plain lists of numbered records under any sequence of operations": (log) => ({
    ...log,
    async delete(stream) {
      if (stream.includes("/")) await log.delete("s");
      return log.delete(stream);
    },
  }),
};
