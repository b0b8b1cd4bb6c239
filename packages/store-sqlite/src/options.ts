import type { SqliteDriverOptions, SqliteFileOptions } from "./backend.js";
import type { SqliteDriver } from "./driver.js";
import type { SqliteSynchronous } from "./open.js";

const SYNCHRONOUS: readonly SqliteSynchronous[] = ["full", "normal", "off"];

/** Options with their defaults. Either `path` or `driver` is there. */
export interface SqliteSettings {
  readonly path: string | undefined;
  readonly driver: SqliteDriver | undefined;
  readonly synchronous: SqliteSynchronous;
  readonly busyTimeoutMs: number;
  readonly walLimitBytes: number;
}

/** @throws `TypeError` for what cannot be. */
export function checkOptions(options: SqliteFileOptions | SqliteDriverOptions): SqliteSettings {
  const { path, driver, synchronous }: Partial<SqliteFileOptions & SqliteDriverOptions> = options ?? {};
  const { busyTimeoutMs = 5_000, walLimitBytes = 64 * 1024 * 1024, onWarning } = options ?? {};
  if ((path === undefined) === (driver === undefined))
    throw new TypeError("sqliteBackend: either a path or a driver is expected.");
  if (path !== undefined && (typeof path !== "string" || path === "" || path.includes("\0")))
    throw new TypeError("path: the name of a file is expected.");
  if (driver !== undefined && !isDriver(driver))
    throw new TypeError(
      "driver: an object with exec and prepare is expected; see betterSqlite3Driver and nodeSqliteDriver.",
    );
  if (driver !== undefined && synchronous !== undefined)
    throw new TypeError("synchronous: this is up to the connection that is handed in; set it there.");
  if (synchronous !== undefined && !SYNCHRONOUS.includes(synchronous))
    throw new TypeError(`synchronous: ${SYNCHRONOUS.join(", ")} are expected.`);
  if (!(Number.isFinite(busyTimeoutMs) && busyTimeoutMs >= 0))
    throw new TypeError("busyTimeoutMs: a number of milliseconds from 0 up is expected.");
  if (!(Number.isFinite(walLimitBytes) && walLimitBytes > 0))
    throw new TypeError("walLimitBytes: a number of bytes above 0 is expected.");
  if (onWarning !== undefined && typeof onWarning !== "function")
    throw new TypeError("onWarning: a function is expected.");
  return { path, driver, synchronous: synchronous ?? "full", busyTimeoutMs, walLimitBytes };
}

function isDriver(driver: SqliteDriver): boolean {
  return typeof driver?.exec === "function" && typeof driver.prepare === "function";
}
