import { prepared, type Statement } from "./database.js";
import { RECORD_COLUMNS, WRITTEN_COLUMNS } from "./record.js";
import type { Tables } from "./tables.js";

/** Everything that is said to the database about records. `$1` is the namespace. */
export interface RecordStatements {
  readonly get: Statement;
  /** What is written follows the namespace; then the time, then the version that has to be there. */
  readonly put: Statement;
  readonly create: Statement;
  readonly replace: Statement;
  /** Key and time; then the version that has to be there. */
  readonly delete: Statement;
  readonly deleteVersion: Statement;
  /** The time, and how many at most. */
  readonly sweep: Statement;
  /** Keys that will be written: locks what is there of them, in their order. */
  readonly lock: Statement;
  /** How many versions are wanted. */
  readonly versions: Statement;
  /** Keys to take away, and the versions that were locked. */
  readonly deleteLocked: Statement;
  /** Puts of several records: the versions that were locked; for each, its new version and what is written of it. */
  putLocked(count: number): Statement;
  list(shape: ListShape): Statement;
}

/** What a listing asks for, apart from values. */
interface ListShape {
  readonly descending: boolean;
  /** Whether there is an end to the range of keys. */
  readonly ends: boolean;
  /** Whether records are selected by attributes. */
  readonly selects: boolean;
}

const COLUMNS = `namespace, ${WRITTEN_COLUMNS.join(", ")}, version`;
const REPLACED = [...WRITTEN_COLUMNS.slice(1), "version"].map((column) => `${column} = excluded.${column}`).join(", ");
/** Places of the values that are written: `$2` on, after the namespace. */
const WRITTEN = WRITTEN_COLUMNS.map((_, index) => `$${index + 2}`);
const NOW = `$${WRITTEN.length + 2}`;
const VERSION = `$${WRITTEN.length + 3}`;

const alive = (now: string): string => `(expires_at_ms IS NULL OR expires_at_ms > ${now})`;

export function recordStatements({ records, recordVersions }: Tables, prepare: boolean): RecordStatements {
  const one = (text: string): Statement => prepared(text, prepare);
  const next = `nextval('${recordVersions.replaceAll("'", "''")}')`;
  const insert = `INSERT INTO ${records} AS r (${COLUMNS}) VALUES ($1, ${WRITTEN.join(", ")}, ${next})
    ON CONFLICT (namespace, key) DO UPDATE SET ${REPLACED}`;
  const assigned = WRITTEN_COLUMNS.slice(1).map((column, index) => `${column} = ${WRITTEN[index + 1]}`);
  const byKey = "namespace = $1 AND key = $2";
  const lists = new Map<string, Statement>();
  return {
    get: one(`SELECT ${RECORD_COLUMNS} FROM ${records} r WHERE ${byKey} AND ${alive("$3")}`),
    put: one(`${insert} RETURNING version::text AS version`),
    create: one(`${insert} WHERE NOT coalesce(r.expires_at_ms > ${NOW}, true) RETURNING version::text AS version`),
    replace: one(
      `UPDATE ${records} SET ${assigned.join(", ")}, version = ${next}
      WHERE ${byKey} AND version = ${VERSION}::bigint AND ${alive(NOW)} RETURNING version::text AS version`,
    ),
    delete: one(`DELETE FROM ${records} WHERE ${byKey} RETURNING ${alive("$3")}::text AS alive`),
    deleteVersion: one(
      `DELETE FROM ${records} WHERE ${byKey} AND version = $4::bigint AND ${alive("$3")} RETURNING version::text AS version`,
    ),
    sweep: one(
      `DELETE FROM ${records} WHERE (namespace, key) IN (
        SELECT namespace, key FROM ${records} WHERE namespace = $1 AND expires_at_ms <= $2
        ORDER BY expires_at_ms LIMIT $3 FOR UPDATE SKIP LOCKED)`,
    ),
    lock: one(
      `SELECT encode(key, 'hex') AS key, version::text AS version, expires_at_ms::text AS expires_at_ms
      FROM ${records} r WHERE namespace = $1 AND key = ANY($2::bytea[]) ORDER BY r.key FOR UPDATE`,
    ),
    versions: one(`SELECT ${next}::text AS version FROM generate_series(1, $1::int)`),
    deleteLocked: one(
      `DELETE FROM ${records} WHERE namespace = $1 AND key = ANY($2::bytea[]) AND version = ANY($3::bigint[])`,
    ),
    putLocked: (count) => ({ text: putLocked(records, count) }),
    list(shape) {
      const id = JSON.stringify([shape.descending, shape.ends, shape.selects]);
      const statement = lists.get(id) ?? one(list(records, shape));
      lists.set(id, statement);
      return statement;
    },
  };
}

/** Writes over what was locked, and makes what was not there. What somebody else made meanwhile is left alone, and missing in the answer. */
function putLocked(records: string, count: number): string {
  const width = WRITTEN_COLUMNS.length + 1;
  const row = (index: number): string => {
    const places = Array.from({ length: width }, (_, column) => `$${3 + index * width + column}`);
    return `($1, ${places.join(", ")})`;
  };
  return `INSERT INTO ${records} AS r (${COLUMNS}) VALUES ${Array.from({ length: count }, (_, index) => row(index)).join(", ")}
    ON CONFLICT (namespace, key) DO UPDATE SET ${REPLACED} WHERE r.version = ANY($2::bigint[]) RETURNING version::text AS version`;
}

function list(records: string, { descending, ends, selects }: ListShape): string {
  const conditions = ["namespace = $1", alive("$2"), "key >= $3"];
  let place = 4;
  if (ends) conditions.push(`key < $${place++}`);
  if (selects) conditions.push(`terms @> $${place++}::bytea[]`);
  return `SELECT ${RECORD_COLUMNS} FROM ${records} r WHERE ${conditions.join(" AND ")}
    ORDER BY r.key ${descending ? "DESC" : "ASC"} LIMIT $${place}`;
}
