import { corruptData, TinyAgentsError } from "@tinyagents/core";
import type { SqliteDriver } from "./driver.js";

export interface SqliteSchemaOptions {
  /** What the names of all tables and indexes start with: letters, digits and `_`. Default `tinyagents_`. */
  readonly tablePrefix?: string | undefined;
}

/** The names of the tables. */
export interface Tables {
  readonly schema: string;
  readonly records: string;
  readonly attributes: string;
  readonly streams: string;
  readonly entries: string;
  readonly appendKeys: string;
}

const DEFAULT_PREFIX = "tinyagents_";

/** One entry per version of the schema: what makes it of the one before. Never changed once it is published. */
const MIGRATIONS: readonly ((tables: Tables) => string)[] = [
  ({ records, attributes, streams, entries, appendKeys }) => `
    create table ${records} (
      id integer primary key,
      key blob not null unique,
      kind integer not null,
      value any not null,
      version text not null,
      attributes text,
      updated_at_ms real not null,
      expires_at_ms real
    ) strict;
    create index ${records}_expiry on ${records} (expires_at_ms) where expires_at_ms is not null;
    create table ${attributes} (
      term text not null,
      key blob not null,
      primary key (term, key)
    ) strict, without rowid;
    create table ${streams} (
      id integer primary key autoincrement,
      name blob unique,
      start integer not null
    ) strict;
    create table ${entries} (
      id integer primary key,
      value text not null
    ) strict;
    create table ${appendKeys} (
      stream integer not null,
      key text not null,
      offset integer not null,
      count integer not null,
      digest text not null,
      primary key (stream, key)
    ) strict, without rowid;`,
];

/**
 * Creates the tables of the stores, or brings those of an older version up to date, in one transaction. Does nothing where
 * they are there. `sqliteBackend` calls it; call it yourself where migrations run apart from the application.
 *
 * @throws `version_mismatch` when a newer version of this package made them, `corrupt_data` when their version cannot be
 * read, `TypeError` for a prefix that cannot be, and what the driver throws.
 */
export function createSqliteSchema(driver: SqliteDriver, options: SqliteSchemaOptions = {}): void {
  const tables = tablesOf(options);
  if (versionOf(driver, tables) === MIGRATIONS.length) return;
  driver.exec("begin immediate");
  try {
    // Read again under the lock: another process may have been faster.
    const found = versionOf(driver, tables);
    for (const migration of MIGRATIONS.slice(found)) driver.exec(migration(tables));
    if (found === 0) driver.exec(`create table ${tables.schema} (version integer not null) strict`);
    driver.exec(`delete from ${tables.schema}; insert into ${tables.schema} values (${MIGRATIONS.length})`);
    driver.exec("commit");
  } catch (error) {
    driver.exec("rollback");
    throw error;
  }
}

/** @throws `TypeError` for a prefix that could not stand in a statement as it is. */
export function tablesOf({ tablePrefix = DEFAULT_PREFIX }: SqliteSchemaOptions): Tables {
  if (typeof tablePrefix !== "string" || !/^(?!sqlite_)[a-z_][a-z0-9_]{0,62}$/i.test(tablePrefix))
    throw new TypeError(
      "tablePrefix: 1 to 63 letters, digits and _ are expected, which start with no digit and not with sqlite_",
    );
  const named = (name: string): string => tablePrefix + name;
  return {
    schema: named("schema"),
    records: named("records"),
    attributes: named("attributes"),
    streams: named("streams"),
    entries: named("entries"),
    appendKeys: named("append_keys"),
  };
}

/** The version of the tables that are there; 0 where there are none. */
function versionOf(driver: SqliteDriver, { schema }: Tables): number {
  const isThere = driver.prepare("select 1 from sqlite_schema where type = 'table' and lower(name) = lower(?)");
  if (isThere.get(schema) === undefined) return 0;
  const rows = driver.prepare(`select version from ${schema}`).all();
  const found = Number(rows[0]?.version);
  const place = `the schema version in SQLite table "${schema}"`;
  if (rows.length !== 1 || !Number.isInteger(found) || found < 1)
    throw corruptData(place, "one row with a whole number from 1 up is expected");
  if (found <= MIGRATIONS.length) return found;
  throw new TinyAgentsError(
    "version_mismatch",
    `The tables were made by a newer version: ${place} is ${found}; this version reads up to ${MIGRATIONS.length}. Update @tinyagents/store-sqlite.`,
    { details: { place, expected: MIGRATIONS.length, found } },
  );
}
