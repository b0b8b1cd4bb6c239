import {
  type AppendStore,
  type Clock,
  isTinyAgentsError,
  type StorageBackend,
  type Store,
  type StoreGate,
  storeGate,
  systemClock,
} from "@tinyagents/core";
import { appendStoreBehind } from "./append-store.js";
import { connectionOver } from "./connection.js";
import { betterSqlite3Driver, type SqliteDriver } from "./driver.js";
import { type OpenDatabase, openDatabase, type SqliteSynchronous } from "./open.js";
import { readOptions } from "./options.js";
import { createSqliteSchema, type SqliteSchemaOptions, tablesOf } from "./schema.js";
import { storeBehind } from "./store.js";
import { toError } from "./to-error.js";
import type { SqliteWarning } from "./wal.js";

/** What every SQLite backend can be told. */
export interface SqliteOptions extends SqliteSchemaOptions {
  /** How long a call waits for a lock that another connection holds, ms. Default 5,000. The event loop goes on meanwhile. */
  readonly busyTimeoutMs?: number | undefined;
  /** Up to this size of the write-ahead log, bytes, all is well. Default 64 MiB. */
  readonly walLimitBytes?: number | undefined;
  /** Told when the log has passed `walLimitBytes` and could not be reset. */
  readonly onWarning?: ((warning: SqliteWarning) => void) | undefined;
  /** Where `ttlMs` and `updatedAtMs` take the time from. Default: real time. */
  readonly clock?: Clock | undefined;
}

/** A file that is opened with `better-sqlite3`. */
export interface SqliteFileOptions extends SqliteOptions {
  /** The database's file, which is made where there is none; its folder has to be there. `:memory:`: gone when it is closed. */
  readonly path: string;
  /**
   * `full`: what was acknowledged survives a power failure. `normal`: it survives a killed process; the last of it may be
   * gone after a power failure. `off`: as `normal`, and a power failure may damage the file. Default `full`.
   */
  readonly synchronous?: SqliteSynchronous | undefined;
}

/** A connection that the caller has opened, and closes after the backend. Its settings stay as they are. */
export interface SqliteDriverOptions extends SqliteOptions {
  readonly driver: SqliteDriver;
}

/** Keyed records and logs in one database, closed together. */
export interface SqliteBackend extends StorageBackend {
  readonly store: Store;
  readonly log: AppendStore;
}

/**
 * Keyed records and logs over one connection to SQLite. Opens the database and brings its tables up to date at once.
 *
 * @throws `TypeError` for options that cannot be; `store_failed` when `better-sqlite3` or the file cannot be opened;
 * `corrupt_data` when the file is no database, or its tables are others; `version_mismatch` when a newer version of this
 * package made the tables.
 */
export function sqliteBackend(options: SqliteFileOptions | SqliteDriverOptions): SqliteBackend {
  const settings = readOptions(options);
  const tables = tablesOf(options);
  const place = settings.path === undefined ? "SQLite database" : `SQLite file ${JSON.stringify(settings.path)}`;
  const gateOf = (name: string): StoreGate =>
    storeGate(name, { toError: (error, operation) => toError(error, name, operation, place) });
  const [storeCalls, logCalls] = [gateOf("SQLite store"), gateOf("SQLite log")];

  let own: OpenDatabase | undefined;
  try {
    own = settings.path === undefined ? undefined : openDatabase({ ...settings, path: settings.path });
    const driver = own === undefined ? (settings.driver as SqliteDriver) : betterSqlite3Driver(own);
    createSqliteSchema(driver, options);
    // From now on calls wait for locks themselves, and leave the event loop free meanwhile.
    own?.pragma("busy_timeout = 0");
    const connection = connectionOver(driver, { ...settings, waits: own === undefined, onWarning: options.onWarning });
    const store = storeBehind(storeCalls, connection, tables, options.clock ?? systemClock);
    const { log, letGo } = appendStoreBehind(logCalls, connection, tables);
    let closing: Promise<void> | undefined;
    const close = async (): Promise<void> => {
      await Promise.all([storeCalls.close(), logCalls.close()]);
      letGo();
      own?.close();
    };
    return {
      store,
      log,
      close: () => {
        closing ??= close();
        return closing;
      },
    };
  } catch (error) {
    own?.close();
    throw isTinyAgentsError(error) ? error : toError(error, place, "open", place);
  }
}
