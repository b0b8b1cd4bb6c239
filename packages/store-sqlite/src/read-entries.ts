import type { CheckedReadRange, LogRecord } from "@tinyagents/core";
import type { Connection } from "./connection.js";
import type { SqliteRow } from "./driver.js";
import { entryIdSql, MAX_OFFSET, offsetSql } from "./entry-id.js";
import type { Tables } from "./schema.js";
import { readJsonText, textBytes } from "./stored-text.js";

/** So many records are read in one go. What else the process has to do gets its turn in between. */
const RECORDS_AT_ONCE = 1_000;

export type ReadEntries = (
  stream: string,
  range: CheckedReadRange,
  signal: AbortSignal | undefined,
) => Promise<readonly LogRecord[]>;

/** Reads records of streams. */
export function entryReader(connection: Connection, { streams, entries }: Tables): ReadEntries {
  const between = (first: string, last: string): string =>
    `select s.id as stream, ${offsetSql("e.id")} as offset, e.value from ${streams} s cross join ${entries} e
     on e.id between ${entryIdSql("s.id", first)} and ${entryIdSql("s.id", last)} where s.name = ? order by e.id`;
  const ascending = connection.prepare(`${between("max(?, s.start)", `${MAX_OFFSET}`)} asc limit ?`);
  const descending = connection.prepare(`${between("s.start", "?")} desc limit ?`);

  return async (stream, { from, limit, descending: isDescending }, signal) => {
    const name = textBytes(stream);
    const source = `of stream ${JSON.stringify(stream)} in SQLite table "${entries}"`;
    const statement = isDescending ? descending : ascending;
    const first = isDescending ? Math.min(from ?? MAX_OFFSET, MAX_OFFSET) : (from ?? 0);
    const step = isDescending ? -1 : 1;
    let records: LogRecord[] = [];
    let id: unknown;
    for (;;) {
      const last = records.at(-1);
      const next = last === undefined ? first : last.offset + step;
      const most = Math.min(limit - records.length, RECORDS_AT_ONCE);
      const rows = await connection.read(() => statement.all(next, name, most), signal);
      const [head] = rows;
      if (last !== undefined && head !== undefined && (head.stream !== id || Number(head.offset) !== next)) {
        // Deleted or truncated meanwhile: what was read and what comes now were never there together.
        records = [];
        continue;
      }
      id = head?.stream;
      for (const row of rows) records.push(recordOf(row, source));
      if (rows.length < most || records.length === limit) return records;
    }
  };
}

/** `source`: as errors say where it comes from. */
function recordOf(row: SqliteRow, source: string): LogRecord {
  const offset = Number(row.offset);
  return { offset, value: readJsonText(row.value, `record ${offset} ${source}`) };
}
