import { prepared, type Statement } from "./database.js";
import type { Tables } from "./tables.js";

/** Everything that is said to the database about logs. `$1` is the namespace and `$2` the name of the stream. */
export interface LogStatements {
  append(shape: AppendShape): Statement;
  /** The key. Gives what was appended under it. */
  readonly known: Statement;
  readonly head: Statement;
  /** From which offset, and how many at most. Gives at least one row, with the stream's bounds, where there is a stream. */
  readonly read: Statement;
  readonly readBackward: Statement;
  /** The offset before which records are dropped. Gives the stream's id and its new start. */
  readonly truncate: Statement;
  /** Id, start, and how many at most: takes away what is before the start. */
  readonly drop: Statement;
  /** `$2` is the first name, `$3` how many at most; then, where there is one, the end of the range. */
  readonly streams: Statement;
  readonly streamsBefore: Statement;
  readonly delete: Statement;
  /** The id of a stream that was deleted. */
  readonly deleteRecords: Statement;
  readonly deleteKeys: Statement;
}

/** What an append asks for, apart from values. */
interface AppendShape {
  /** Whether there must be a stream already: the offset that is expected is above 0. */
  readonly isThere: boolean;
  readonly hasKey: boolean;
}

/** Whether appends tell of themselves. */
export interface LogStatementOptions {
  readonly prepare: boolean;
  readonly notifies: boolean;
}

const STREAM = "s.namespace = $1 AND s.name = $2";

export function logStatements(tables: Tables, { prepare, notifies }: LogStatementOptions): LogStatements {
  const { streams, log, appendKeys } = tables;
  const one = (text: string): Statement => prepared(text, prepare);
  const appends = new Map<string, Statement>();
  const range = `SELECT encode(s.name, 'hex') AS name FROM ${streams} s WHERE s.namespace = $1 AND s.name >= $2`;
  return {
    append(shape) {
      const id = `${shape.isThere} ${shape.hasKey}`;
      const statement = appends.get(id) ?? one(append(tables, shape, notifies));
      appends.set(id, statement);
      return statement;
    },
    known: one(
      `SELECT k.at::text AS at, encode(k.digest, 'hex') AS digest
      FROM ${streams} s JOIN ${appendKeys} k ON k.stream = s.id WHERE ${STREAM} AND k.key = $3`,
    ),
    head: one(`SELECT s.head::text AS head FROM ${streams} s WHERE ${STREAM}`),
    read: one(read(tables, "l.at >= GREATEST(s.start, $3::bigint)", "ASC")),
    readBackward: one(read(tables, "l.at >= s.start AND l.at <= $3::bigint", "DESC")),
    truncate: one(
      `UPDATE ${streams} s SET start = LEAST(s.head, GREATEST(s.start, $3::bigint)) WHERE ${STREAM}
      RETURNING s.id::text AS id, s.start::text AS start`,
    ),
    drop: one(
      `DELETE FROM ${log} WHERE stream = $1::bigint AND at < LEAST($2::bigint,
        (SELECT min(at) FROM ${log} WHERE stream = $1::bigint) + $3::bigint) RETURNING '1' AS dropped`,
    ),
    streams: one(`${range} ORDER BY s.name LIMIT $3`),
    streamsBefore: one(`${range} AND s.name < $4 ORDER BY s.name LIMIT $3`),
    delete: one(`DELETE FROM ${streams} s WHERE ${STREAM} RETURNING s.id::text AS id`),
    deleteRecords: one(`DELETE FROM ${log} WHERE stream = $1::bigint`),
    deleteKeys: one(`DELETE FROM ${appendKeys} WHERE stream = $1::bigint`),
  };
}

/**
 * One append. Its values: how many come, all of them as one JSON array, the offset that is expected or null; then, in this
 * order and as far as they apply, key and digest, channel and payload. The row of the stream is changed first, and held until
 * all is done: appends stand in line there, so offsets have no gap and are seen in their order. The type `json` gives each
 * value back as the text that came, and is read many times faster than an array of texts with escapes in them.
 */
function append({ streams, log, appendKeys }: Tables, { isThere, hasKey }: AppendShape, notifies: boolean): string {
  const [channel, payload] = hasKey ? ["$8", "$9"] : ["$6", "$7"];
  const isNew = hasKey ? "NOT EXISTS (SELECT FROM known)" : "true";
  const moved = isThere
    ? `UPDATE ${streams} s SET head = s.head + $3::bigint WHERE ${STREAM} AND s.head = $5::bigint AND ${isNew}`
    : `INSERT INTO ${streams} AS s (namespace, name, head) SELECT $1::bytea, $2::bytea, $3::bigint WHERE ${isNew}
      ON CONFLICT (namespace, name) DO UPDATE SET head = s.head + $3::bigint
      WHERE $5::bigint IS NULL OR s.head = $5::bigint`;
  const told = notifies ? `pg_notify(${channel}, ${payload})::text` : "NULL::text";
  const known = `known AS (SELECT k.at, encode(k.digest, 'hex') AS digest
    FROM ${streams} s JOIN ${appendKeys} k ON k.stream = s.id WHERE ${STREAM} AND k.key = $6),`;
  const noted = `, noted AS (INSERT INTO ${appendKeys} (stream, key, at, digest)
    SELECT id, $6::bytea, head - $3::bigint, $7::bytea FROM moved)`;
  return `WITH ${hasKey ? known : ""}
    moved AS (${moved} RETURNING s.id, s.head),
    added AS (INSERT INTO ${log} (stream, at, content)
      SELECT moved.id, moved.head - $3::bigint + given.place - 1, given.content::text
      FROM moved, json_array_elements($4::json) WITH ORDINALITY AS given(content, place))
    ${hasKey ? noted : ""}
    SELECT (head - $3::bigint)::text AS at, NULL::text AS digest, ${told} AS told FROM moved
    ${hasKey ? "UNION ALL SELECT at::text, digest, NULL FROM known" : ""}`;
}

function read({ streams, log }: Tables, range: string, order: "ASC" | "DESC"): string {
  return `SELECT s.start::text AS start, s.head::text AS head, found.at::text AS at, found.content FROM ${streams} s
    LEFT JOIN LATERAL (SELECT l.at, l.content FROM ${log} l WHERE l.stream = s.id AND ${range}
      ORDER BY l.at ${order} LIMIT $4) found ON true
    WHERE ${STREAM} ORDER BY found.at ${order}`;
}
