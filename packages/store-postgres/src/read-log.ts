import { type CheckedReadRange, corruptData, type LogRecord } from "@tinyagents/core";
import type { LogContext } from "./append-store.js";
import type { Row } from "./database.js";
import { parseStored, storedNumber } from "./values.js";

/** Records of a stream. @throws `corrupt_data` that names the record, for one that is damaged or missing. */
export async function readRecords(
  { database, statements, at }: LogContext,
  stream: string,
  range: CheckedReadRange,
  signal: AbortSignal | undefined,
): Promise<readonly LogRecord[]> {
  const { from, limit, descending } = range;
  const statement = descending ? statements.readBackward : statements.read;
  const first = from ?? (descending ? Number.MAX_SAFE_INTEGER : 0);
  const rows = await database.query(statement, [...at(stream), first, limit], signal);
  const [bounds] = rows;
  if (bounds === undefined) return [];
  const expected = offsetsIn(bounds, `stream "${stream}"`, first, range);
  const byOffset = new Map(rows.map((row) => [row.at, row]));
  return expected.map((offset) => recordAt(byOffset.get(String(offset)), offset, stream));
}

/** The offsets that a range has, by the bounds of the stream: no record is passed over because its row is not there. */
function offsetsIn(
  bounds: Row,
  place: string,
  from: number,
  { limit, descending }: CheckedReadRange,
): readonly number[] {
  const start = storedNumber(bounds.start, place);
  const head = storedNumber(bounds.head, place);
  const first = descending ? Math.min(from, head - 1) : Math.max(from, start);
  const count = Math.max(0, Math.min(limit, descending ? first - start + 1 : head - first));
  return Array.from({ length: count }, (_, index) => (descending ? first - index : first + index));
}

function recordAt(row: Row | undefined, offset: number, stream: string): LogRecord {
  const place = `stream "${stream}", record ${offset}`;
  if (row === undefined) throw corruptData(place, "it is missing");
  return { offset, value: parseStored(row.content, place) };
}
