import { corruptData, TinyAgentsError } from "@tinyagents/core";
import { type Database, databaseOn, type Query, type Statement } from "./database.js";
import { migrations } from "./migrations.js";
import type { PostgresPool } from "./pool.js";
import { quoted, readTables, type TableOptions, type Tables } from "./tables.js";
import { toErrorFor } from "./to-error.js";

/** Which version of the tables this package reads and writes. */
const SCHEMA_VERSION: number = migrations.length;

/**
 * Makes the tables of a backend, or brings those of an older version up to date, in one transaction. Several processes may
 * do so at once. The role needs to own the tables, and to create in the schema; where an application's role must not,
 * run this beforehand with another one, and set `createSchema: false` in the backend.
 *
 * @throws `version_mismatch` when the tables are those of a newer version of this package.
 */
export async function createPostgresSchema(pool: PostgresPool, options: TableOptions = {}): Promise<void> {
  const tables = readTables(options, "createPostgresSchema: options");
  const toError = toErrorFor("PostgreSQL store", []);
  try {
    await bringUpToDate(databaseOn(pool), tables);
  } catch (error) {
    throw error instanceof TinyAgentsError ? error : toError(error, "create the schema");
  }
}

/** Brings the tables up to date; asks first, so that a role without the right to create may use tables that are there. */
export async function bringUpToDate(database: Database, tables: Tables): Promise<void> {
  const found = await database.transaction(undefined, (query) => readVersion(query, tables));
  if (found === SCHEMA_VERSION) return;
  await database.transaction(undefined, async (query) => {
    await query(LOCK, [`${tables.schema}.${tables.prefix}`]);
    const version = await readVersion(query, tables);
    if (version === 0) await createFirst(query, tables);
    for (const migrate of migrations.slice(version)) {
      for (const text of migrate(tables)) await query({ text });
    }
    await query({ text: `UPDATE ${tables.schemaVersion} SET version = $1` }, [SCHEMA_VERSION]);
  });
}

/** @throws `store_failed` when the tables are missing, or older. */
export async function checkSchema(database: Database, tables: Tables): Promise<void> {
  const found = await database.transaction(undefined, (query) => readVersion(query, tables));
  if (found === SCHEMA_VERSION) return;
  const what = found === 0 ? "are missing" : `are of version ${found}, and ${SCHEMA_VERSION} is needed`;
  throw new Error(
    `the tables ${tables.schema}.${tables.prefix}* ${what}; run createPostgresSchema(pool) once, or leave createSchema on`,
  );
}

/** One at a time, by a number that is of these tables alone. Let go of when the transaction ends. */
const LOCK: Statement = { text: "SELECT pg_advisory_xact_lock(hashtextextended('tinyagents schema ' || $1, 0))" };

const FIND_TABLE: Statement = {
  text: `SELECT c.relname::text AS name FROM pg_catalog.pg_class c
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = $2`,
};

async function createFirst(query: Query, { schema, schemaVersion }: Tables): Promise<void> {
  const [database] = await query({ text: "SELECT current_setting('server_encoding') AS encoding" });
  if (database?.encoding !== "UTF8")
    throw new Error(`the database has the encoding ${database?.encoding}; one with UTF8 is needed`);
  // Creating what exists needs a right that nobody else needs, IF NOT EXISTS or not.
  const [there] = await query({ text: "SELECT nspname::text AS name FROM pg_namespace WHERE nspname = $1" }, [schema]);
  if (there === undefined) await query({ text: `CREATE SCHEMA ${quoted(schema)}` });
  await query({ text: `CREATE TABLE ${schemaVersion} (version integer NOT NULL)` });
  await query({ text: `INSERT INTO ${schemaVersion} VALUES (0)` });
}

/** The version of the tables that are there; 0 when there are none. */
async function readVersion(query: Query, { schema, prefix, schemaVersion }: Tables): Promise<number> {
  // Asked of the table of tables: what a name leads to is remembered, and may be out of date when a lock was waited for.
  const [table] = await query(FIND_TABLE, [schema, `${prefix}schema_version`]);
  if (table === undefined) return 0;
  const [row] = await query({ text: `SELECT version::text AS version FROM ${schemaVersion}` });
  const version = Number(row?.version ?? Number.NaN);
  const place = `table ${schemaVersion}`;
  if (!Number.isInteger(version)) throw corruptData(place, "the version of the schema is missing");
  if (version <= SCHEMA_VERSION) return version;
  throw new TinyAgentsError(
    "version_mismatch",
    `The tables of schema ${quoted(schema)} are of version ${version}; this package reads up to ${SCHEMA_VERSION}. Update @tinyagents/store-postgres.`,
    { details: { place, expected: SCHEMA_VERSION, found: version } },
  );
}
