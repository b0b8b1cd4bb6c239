import { checkOptions, type FieldRule, optionRules } from "@tinyagents/core";
import type { SqliteDriverOptions, SqliteFileOptions } from "./backend.js";
import type { SqliteDriver } from "./driver.js";
import type { SqliteSynchronous } from "./open.js";

/** Options with their defaults. Either `path` or `driver` is there. */
export interface SqliteSettings {
  readonly path: string | undefined;
  readonly driver: SqliteDriver | undefined;
  readonly synchronous: SqliteSynchronous;
  readonly busyTimeoutMs: number;
  readonly walLimitBytes: number;
}

const RULES: { readonly [Option in keyof (SqliteFileOptions & SqliteDriverOptions)]-?: FieldRule } = {
  path: optionRules.path,
  driver: ["an object with exec and prepare (see betterSqlite3Driver and nodeSqliteDriver)", isDriver],
  synchronous: optionRules.oneOf("full", "normal", "off"),
  busyTimeoutMs: optionRules.milliseconds,
  walLimitBytes: ["a number of bytes above 0", (value) => Number.isFinite(value) && Number(value) > 0],
  onWarning: optionRules.call,
  tablePrefix: optionRules.text,
  clock: optionRules.clock,
};

/** @throws `TypeError` for what cannot be. */
export function readOptions(options: SqliteFileOptions | SqliteDriverOptions): SqliteSettings {
  const place = "sqliteBackend: options";
  checkOptions(options, RULES, place);
  const { path, driver, synchronous }: Partial<SqliteFileOptions & SqliteDriverOptions> = options;
  const { busyTimeoutMs = 5_000, walLimitBytes = 64 * 1024 * 1024 } = options;
  if ((path === undefined) === (driver === undefined))
    throw new TypeError(`${place}: either a path or a driver is expected`);
  if (driver !== undefined && synchronous !== undefined)
    throw new TypeError(`${place}.synchronous: this is up to the connection that is handed in; set it there`);
  return { path, driver, synchronous: synchronous ?? "full", busyTimeoutMs, walLimitBytes };
}

function isDriver(value: unknown): boolean {
  const driver = value as SqliteDriver | null;
  return typeof driver?.exec === "function" && typeof driver.prepare === "function";
}
