import { type Clock, checkOptions, type FieldRule, optionRules } from "@tinyagents/core";
import type { PostgresPool } from "./pool.js";
import { readTables, type TableOptions, type Tables } from "./tables.js";

interface CommonOptions extends TableOptions {
  /** Whose data it is. A backend sees nothing of other namespaces in the same tables. Default `default`. */
  readonly namespace?: string | undefined;
  /** Makes the tables on first use where they are missing, see `createPostgresSchema`. Default true. */
  readonly createSchema?: boolean | undefined;
  /** Tells of appends (`NOTIFY`), so that logs can be watched. Default true. */
  readonly follow?: boolean | undefined;
  /** Prepares statements, once per connection. Default true; poolers that lend connections per statement may need false. */
  readonly prepare?: boolean | undefined;
  /** Where `ttlMs` and `updatedAtMs` take the time from. Default: real time. */
  readonly clock?: Clock | undefined;
}

/** A database to connect to. The connections are the backend's. */
export interface PostgresConnectionOptions extends CommonOptions {
  /** As libpq has it: `postgresql://user:password@host:5432/database?sslmode=verify-full`. */
  readonly connectionString: string;
  /** Connections at most, besides one more while a log is watched. Default 10. */
  readonly maxConnections?: number | undefined;
  /** How long a new connection may take, ms. Calls that wait for a free one wait as long as others take. Default 10,000. */
  readonly connectTimeoutMs?: number | undefined;
  readonly pool?: undefined;
}

/** A pool of the caller's, which closing the backend leaves open. While a log is watched, one of its connections is in use. */
export interface PostgresPoolOptions extends CommonOptions {
  readonly pool: PostgresPool;
  readonly connectionString?: undefined;
}

export type PostgresBackendOptions = PostgresConnectionOptions | PostgresPoolOptions;

/** Options that are checked. */
export interface CheckedOptions {
  readonly tables: Tables;
  readonly namespace: string;
  readonly createSchema: boolean;
  readonly follow: boolean;
  readonly prepare: boolean;
}

/** The longest namespace, in UTF-16 code units: it stands in every index entry. */
const LONGEST_NAMESPACE = 128;

const RULES: { readonly [Option in keyof PostgresConnectionOptions]-?: FieldRule } = {
  connectionString: ["a text that is not empty", (value) => typeof value === "string" && value !== ""],
  maxConnections: optionRules.count,
  connectTimeoutMs: optionRules.count,
  pool: ["a pool of pg, which has a method connect,", isPool],
  namespace: [`a text of 1 to ${LONGEST_NAMESPACE} characters`, isNamespace],
  createSchema: optionRules.boolean,
  follow: optionRules.boolean,
  prepare: optionRules.boolean,
  schema: optionRules.text,
  tablePrefix: optionRules.text,
  clock: optionRules.clock,
};

/** @throws `TypeError` for what cannot be. */
export function readOptions(options: PostgresBackendOptions): CheckedOptions {
  const place = "postgresBackend: options";
  checkOptions(options, RULES, place);
  if ((options.pool === undefined) === (options.connectionString === undefined))
    throw new TypeError(`${place}: either a connectionString or a pool is expected`);
  const { maxConnections, connectTimeoutMs } = options as Partial<PostgresConnectionOptions>;
  if (options.pool !== undefined && (maxConnections !== undefined || connectTimeoutMs !== undefined))
    throw new TypeError(`${place}.pool: maxConnections and connectTimeoutMs are up to the pool; set them there`);
  const { namespace = "default", createSchema = true, follow = true, prepare = true } = options;
  return { tables: readTables(options, place), namespace, createSchema, follow, prepare };
}

function isPool(value: unknown): boolean {
  return typeof (value as PostgresPool | null)?.connect === "function";
}

function isNamespace(value: unknown): boolean {
  return typeof value === "string" && value !== "" && value.length <= LONGEST_NAMESPACE;
}
