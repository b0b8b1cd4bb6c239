import {
  type AppendStore,
  readAppend,
  readIdempotencyKey,
  readReadRange,
  readStreamName,
  readStreamsQuery,
  readTruncate,
  type StoreGate,
  storeKeyBytes,
  storeKeyFromBytes,
} from "@tinyagents/core";
import { append, digestOf } from "./append.js";
import type { Database } from "./database.js";
import type { LogListener } from "./listener.js";
import type { LogStatements } from "./log-statements.js";
import { readRecords } from "./read-log.js";
import { storedNumber } from "./values.js";

/** What the parts of a log share. */
export interface LogContext {
  readonly database: Database;
  readonly statements: LogStatements;
  /** Namespace and name of a stream, as the rows have them. */
  at(stream: string): readonly [owner: Uint8Array, name: Uint8Array];
  /** How appends are told of; absent where they are not. */
  readonly notification?: { readonly channel: string; payloadOf(stream: string): string };
}

/** So many records are taken away by one statement, so that none takes long. */
const DROPPED_AT_ONCE = 10_000;

/** Logs whose every call passes a gate. `listener`: absent where appends are not told of. */
export function appendStoreBehind(
  gate: StoreGate,
  context: LogContext,
  listener: LogListener | undefined,
): AppendStore {
  const { database, statements, at, notification } = context;
  return {
    capabilities: { durable: true, multiProcess: true, follow: listener !== undefined },
    append: (stream, values, options) =>
      gate.run("append", options, () => append(context, readAppend(stream, values, options), options?.signal)),
    read: (stream, range) =>
      gate.run("read", range, () => readRecords(context, readStreamName(stream), readReadRange(range), range?.signal)),
    head: (stream, options) =>
      gate.run("head", options, async () => {
        const [row] = await database.query(statements.head, [...at(readStreamName(stream))], options?.signal);
        return row === undefined ? 0 : storedNumber(row.head, `stream "${stream}"`);
      }),
    offsetOf: (stream, key, options) =>
      gate.run("offsetOf", options, async () => {
        const values = [...at(readStreamName(stream)), digestOf(readIdempotencyKey(key))];
        const [row] = await database.query(statements.known, values, options?.signal);
        return row && storedNumber(row.at, `stream "${stream}"`);
      }),
    truncate: (stream, options) =>
      gate.run("truncate", options, async () => {
        const values = [...at(readStreamName(stream)), readTruncate(options)];
        const [row] = await database.query(statements.truncate, values, options.signal);
        if (row === undefined) return;
        // They are dropped already: nobody reads what is before the start. This frees their room.
        const drop = [row.id, row.start, DROPPED_AT_ONCE];
        while ((await database.query(statements.drop, drop, options.signal)).length > 0);
      }),
    streams: (prefix, range) =>
      gate.run("streams", range, async () => {
        const { from, to, limit } = rangeOf(readStreamsQuery(prefix, range));
        const [owner] = at("any");
        const rows =
          to === undefined
            ? await database.query(statements.streams, [owner, from, limit], range?.signal)
            : await database.query(statements.streamsBefore, [owner, from, limit, to], range?.signal);
        return rows.map(({ name }) => nameOf(name));
      }),
    delete: (stream, options) =>
      gate.run("delete", options, () => {
        const values = [...at(readStreamName(stream))];
        return database.transaction(options?.signal, async (query) => {
          const [row] = await query(statements.delete, values);
          if (row === undefined) return false;
          await query(statements.deleteRecords, [row.id]);
          await query(statements.deleteKeys, [row.id]);
          return true;
        });
      }),
    ...(listener === undefined || notification === undefined
      ? {}
      : {
          watch: (stream, onAppend, options) =>
            gate.run("watch", options, () =>
              listener.watch(notification.payloadOf(readStreamName(stream)), onAppend, options?.signal),
            ),
        }),
  };
}

/** The bytes of names from the first, and before the second: those that start with a text, and come after a name. */
function rangeOf({ prefix, after, limit }: ReturnType<typeof readStreamsQuery>): {
  readonly from: Uint8Array;
  readonly to: Uint8Array | undefined;
  readonly limit: number;
} {
  // Without the end of the name, which is one byte: a name that goes on starts with the others.
  const start = storeKeyBytes([prefix]).subarray(0, -1);
  const next = after === undefined ? start : Buffer.concat([storeKeyBytes([after]), Buffer.of(0)]);
  const from = Buffer.compare(next, start) > 0 ? next : start;
  if (start.length === 0) return { from, to: undefined, limit };
  const to = Uint8Array.from(start);
  to[to.length - 1] = (to.at(-1) as number) + 1;
  return { from, to, limit };
}

function nameOf(hex: string | null | undefined): string {
  const place = `the name of the stream with the bytes ${hex}`;
  return storeKeyFromBytes(Buffer.from(hex ?? "", "hex"), place)[0] as string;
}
