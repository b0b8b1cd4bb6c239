import { hash } from "node:crypto";
import {
  type AppendStore,
  type CheckedAppend,
  checkRepeatedAppend,
  corruptData,
  readAppend,
  readIdempotencyKey,
  readReadRange,
  readStreamName,
  readStreamsQuery,
  readTruncate,
  type StoreGate,
  storeKeyFromBytes,
  writeConflict,
} from "@tinyagents/core";
import type { Connection } from "./connection.js";
import type { SqliteRow } from "./driver.js";
import { entryIdSql, MAX_OFFSET, MAX_STREAM, offsetSql } from "./entry-id.js";
import { entryReader } from "./read-entries.js";
import type { Tables } from "./schema.js";
import { jsonText, justAfter, readJsonText, textBytes, textRangeEnd } from "./stored-text.js";
import { entrySweeper } from "./sweep-entries.js";
import { watchersOf } from "./watchers.js";

/** A stream as it is in the database. */
interface Stream {
  readonly id: number;
  readonly start: number;
  readonly head: number;
}

/** The key of an append, and what tells whether its values are those of an earlier one. */
interface AppendKey {
  readonly text: string;
  readonly digest: string;
}

/** Logs whose records, heads and keys are in tables of their own. */
export interface SqliteLog {
  readonly log: AppendStore;
  /** Ends what goes on between calls. */
  letGo(): void;
}

export function appendStoreBehind(gate: StoreGate, connection: Connection, tables: Tables): SqliteLog {
  const { streams, entries, appendKeys } = tables;
  const { prepare } = connection;
  const watchers = watchersOf(connection);
  const readEntries = entryReader(connection, tables);
  const sweepEntries = entrySweeper(connection, tables);
  const find = prepare(
    `select id, start, (select ${offsetSql("e.id")} from ${entries} e
      where e.id between ${entryIdSql("s.id", "0")} and ${entryIdSql("s.id", `${MAX_OFFSET}`)} order by e.id desc limit 1) as last
     from ${streams} s where name = ?`,
  );
  const create = prepare(`insert into ${streams} (name, start) values (?, 0) returning id`);
  const setStart = prepare(`update ${streams} set start = ? where id = ?`);
  // A stream without a name is deleted, and its records are on their way out.
  const drop = prepare(`update ${streams} set name = null where name = ?`);
  const insert = prepare(`insert into ${entries} (id, value) values (${entryIdSql("?", "?")}, ?)`);
  const insertKey = prepare(
    `insert into ${appendKeys} (stream, key, offset, count, digest) values (?, ?, ?, ?, ?) on conflict do nothing`,
  );
  const findKey = prepare(`select offset, count, digest from ${appendKeys} where stream = ? and key = ?`);
  const findOffset = prepare(
    `select k.offset from ${streams} s join ${appendKeys} k on k.stream = s.id where s.name = ? and k.key = ?`,
  );
  const readTexts = prepare(
    `select value from ${entries} where id between ${entryIdSql("?", "?")} and ${entryIdSql("?", "?")} order by id`,
  );
  const names = prepare(`select name from ${streams} where name >= ? and name < ? order by name limit ?`);

  const streamOf = (name: Uint8Array): Stream | undefined => {
    const row = find.get(name);
    if (row === undefined) return undefined;
    const start = Number(row.start);
    return { id: Number(row.id), start, head: row.last === null ? start : Number(row.last) + 1 };
  };

  /** @throws `invalid_request` unless what was appended under a key are these values. */
  const checkRepeat = (stream: number, earlier: SqliteRow, append: CheckedAppend, key: AppendKey): void => {
    if (earlier.digest === key.digest) return;
    // The same values, with the keys of their objects in another order, have another digest.
    const [first, count] = [Number(earlier.offset), Number(earlier.count)];
    const rows = readTexts.all(stream, first, stream, first + count - 1);
    const place = `append key ${key.text} of stream ${JSON.stringify(append.stream)} in SQLite table "${appendKeys}"`;
    checkRepeatedAppend(
      append,
      rows.map(({ value }) => readJsonText(value, place)),
    );
  };

  /** Part of a transaction. */
  const appendTo = (
    name: Uint8Array,
    texts: readonly string[],
    append: CheckedAppend,
    key: AppendKey | undefined,
  ): { readonly offset: number; readonly isNew: boolean } => {
    const { id, head } = streamOf(name) ?? { id: Number(create.get(name)?.id), head: 0 };
    if (key !== undefined && insertKey.run(id, key.text, head, texts.length, key.digest).changes === 0) {
      const earlier = findKey.get(id, key.text) as SqliteRow;
      checkRepeat(id, earlier, append, key);
      return { offset: Number(earlier.offset), isNew: false };
    }
    if (append.expectedOffset !== undefined && append.expectedOffset !== head)
      throw writeConflict(`stream "${append.stream}"`, append.expectedOffset, head);
    if (id > MAX_STREAM || head + texts.length > MAX_OFFSET + 1) throw full(append.stream);
    for (let i = 0; i < texts.length; i++) insert.run(id, head + i, texts[i] as string);
    return { offset: head, isNew: true };
  };

  const log: AppendStore = {
    capabilities: { durable: connection.durable, multiProcess: connection.file !== undefined, follow: true },
    append: (stream, values, options) =>
      gate.run("append", options, async () => {
        const append = readAppend(stream, values, options);
        const name = textBytes(append.stream);
        const texts = append.values.map(jsonText);
        const key = append.idempotencyKey === undefined ? undefined : keyOf(append.idempotencyKey, texts);
        const { offset, isNew } = await connection.write(() => appendTo(name, texts, append, key), options?.signal);
        if (isNew) watchers.ring(append.stream);
        return offset;
      }),
    read: (stream, range) =>
      gate.run("read", range, () => readEntries(readStreamName(stream), readReadRange(range), range?.signal)),
    head: (stream, options) =>
      gate.run("head", options, async () => {
        const name = textBytes(readStreamName(stream));
        return (await connection.read(() => streamOf(name), options?.signal))?.head ?? 0;
      }),
    offsetOf: (stream, key, options) =>
      gate.run("offsetOf", options, async () => {
        const name = textBytes(readStreamName(stream));
        const text = jsonText(readIdempotencyKey(key));
        const found = await connection.read(() => findOffset.get(name, text), options?.signal);
        return found && Number(found.offset);
      }),
    truncate: (stream, options) =>
      gate.run("truncate", options, async () => {
        const name = textBytes(readStreamName(stream));
        const before = readTruncate(options);
        const found = await connection.write(() => {
          const now = streamOf(name);
          if (now !== undefined && before > now.start) setStart.run(Math.min(before, now.head), now.id);
          return now;
        }, options?.signal);
        if (found !== undefined) await sweepEntries.truncated(found.id, options?.signal);
      }),
    streams: (prefix, range) =>
      gate.run("streams", range, async () => {
        const query = readStreamsQuery(prefix, range);
        const [start, after] = [textBytes(query.prefix), textBytes(query.after ?? "")];
        const from = Buffer.compare(start, after) > 0 ? start : justAfter(after);
        const rows = await connection.read(
          () => names.all(from, textRangeEnd(query.prefix), query.limit),
          range?.signal,
        );
        return rows.map(({ name }) => readName(name, streams));
      }),
    delete: (stream, options) =>
      gate.run("delete", options, async () => {
        const name = textBytes(readStreamName(stream));
        const wasThere = await connection.write(() => Number(drop.run(name).changes) > 0, options?.signal);
        if (wasThere) await sweepEntries.dropped(options?.signal);
        return wasThere;
      }),
    watch: (stream, onAppend, options) =>
      gate.run("watch", options, () => watchers.add(readStreamName(stream), onAppend)),
  };
  return { log, letGo: () => watchers.close() };
}

function keyOf(idempotencyKey: string, texts: readonly string[]): AppendKey {
  return { text: jsonText(idempotencyKey), digest: hash("sha256", `[${texts.join()}]`, "base64") };
}

/** Becomes `store_failed`. */
function full(stream: string): Error {
  return new Error(`stream "${stream}" has no room: a database has ${MAX_STREAM} streams of ${MAX_OFFSET + 1} records`);
}

/** The name of a stream. @throws `corrupt_data` */
function readName(bytes: unknown, table: string): string {
  const place = `the name of a stream in SQLite table "${table}"`;
  if (!(bytes instanceof Uint8Array)) throw corruptData(place, "bytes are expected");
  const whole = justAfter(bytes);
  const [name, ...others] = storeKeyFromBytes(whole, place);
  if (name === undefined || others.length > 0) throw corruptData(place, "one name is expected");
  return name;
}
