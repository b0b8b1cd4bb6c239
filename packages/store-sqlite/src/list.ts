import {
  type CheckedListQuery,
  cursorAfter,
  matchesAttributes,
  type Page,
  type StoreRecord,
  storeKeyBytes,
  storeKeyRangeEnd,
} from "@tinyagents/core";
import type { Connection } from "./connection.js";
import type { SqliteRow } from "./driver.js";
import { RECORD_COLUMNS, readRecord } from "./record-row.js";
import type { Tables } from "./schema.js";
import { compareBytes, jsonText, justAfter, LAST } from "./stored-text.js";
import { termsOf } from "./terms.js";

/** So many rows are looked at in one go. What else the process has to do gets its turn in between. */
const ROWS_AT_ONCE = 1_000;

/** Keys from `from` up to, without it, `to`. */
interface Range {
  readonly from: Uint8Array;
  readonly to: Uint8Array;
}

/** Some rows of a range, in order. */
interface Slice {
  readonly rows: readonly SqliteRow[];
  /** The key up to which the range has been looked at. Absent: it has been whole. */
  readonly reached?: Uint8Array;
}

export type ReadPage = (
  query: CheckedListQuery,
  nowMs: number,
  signal: AbortSignal | undefined,
) => Promise<Page<StoreRecord>>;

/** Reads pages of listings. */
export function pageReader(connection: Connection, tables: Tables): ReadPage {
  const readers = { asc: sliceReader(connection, tables, "asc"), desc: sliceReader(connection, tables, "desc") };

  return async (query, nowMs, signal) => {
    const readSlice = readers[query.descending ? "desc" : "asc"];
    const terms = termsOf(query.where);
    const items: StoreRecord[] = [];
    for (let range: Range | undefined = rangeOf(query); range !== undefined; ) {
      const { from, to }: Range = range;
      const most = Math.min(query.limit + 1 - items.length, ROWS_AT_ONCE);
      const { rows, reached }: Slice = await connection.read(() => readSlice({ from, to }, terms, nowMs, most), signal);
      for (const row of rows) {
        const record = readRecord(row, tables.records);
        if (matchesAttributes(record.attributes, query.where)) items.push(record);
      }
      if (items.length > query.limit) {
        items.pop();
        return { items, cursor: cursorAfter((items.at(-1) as StoreRecord).key) };
      }
      range = reached && (query.descending ? { from, to: reached } : { from: justAfter(reached), to });
    }
    return { items };
  };
}

type ReadSlice = (range: Range, terms: readonly string[], nowMs: number, most: number) => Slice;

function sliceReader({ prepare }: Connection, { records, attributes }: Tables, order: "asc" | "desc"): ReadSlice {
  const isAlive = "(r.expires_at_ms is null or r.expires_at_ms > ?)";
  const all = prepare(
    `select ${RECORD_COLUMNS} from ${records} r where r.key >= ? and r.key < ? and ${isAlive} order by r.key ${order} limit ?`,
  );
  const window = prepare(
    `select count(*) as looked, ${order === "asc" ? "max" : "min"}(key) as reached from (
      select key from ${attributes} where term = ? and key >= ? and key < ? order by key ${order} limit ${ROWS_AT_ONCE})`,
  );
  // The first term leads through the index; the others, however many, come as one array.
  const matching = prepare(
    `select ${RECORD_COLUMNS} from ${attributes} a cross join ${records} r on r.key = a.key
     where a.term = ? and a.key >= ? and a.key < ? and ${isAlive} and not exists (
       select 1 from json_each(?) other where not exists (
         select 1 from ${attributes} b where b.term = other.value and b.key = a.key))
     order by a.key ${order} limit ?`,
  );

  return ({ from, to }, [term, ...others], nowMs, most) => {
    if (term === undefined) return slice(all.all(from, to, nowMs, most), most);
    const { looked, reached } = window.get(term, from, to) as SqliteRow;
    const isWhole = Number(looked) < ROWS_AT_ONCE;
    const edge = reached as Uint8Array;
    const within = isWhole ? { from, to } : order === "asc" ? { from, to: justAfter(edge) } : { from: edge, to };
    const rows = matching.all(term, within.from, within.to, nowMs, jsonText(others), most);
    return isWhole || rows.length === most ? slice(rows, most) : { rows, reached: edge };
  };
}

/** A slice whose range is done when there were fewer rows than were asked for. */
function slice(rows: readonly SqliteRow[], most: number): Slice {
  const last = rows[most - 1];
  return last === undefined ? { rows } : { rows, reached: last.key as Uint8Array };
}

/** The keys that a query asks for. A cursor need not be of its prefix. */
function rangeOf({ prefix, after, descending }: CheckedListQuery): Range {
  const from = storeKeyBytes(prefix);
  const to = storeKeyRangeEnd(prefix) ?? LAST;
  if (after === undefined) return { from, to };
  const edge = storeKeyBytes(after);
  if (descending) return { from, to: compareBytes(edge, to) < 0 ? edge : to };
  const next = justAfter(edge);
  return { from: compareBytes(next, from) > 0 ? next : from, to };
}
