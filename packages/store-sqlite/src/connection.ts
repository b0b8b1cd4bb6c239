import type { SqliteDriver, SqliteRow, SqliteStatement } from "./driver.js";
import { Breath, Turns } from "./turns.js";
import { type SqliteWarning, walGuard } from "./wal.js";

export interface ConnectionOptions {
  readonly busyTimeoutMs: number;
  readonly walLimitBytes: number;
  /** Whether the connection waits for locks by itself, as one of the caller's may. */
  readonly waits: boolean;
  readonly onWarning: ((warning: SqliteWarning) => void) | undefined;
}

/** A connection as both stores use it. */
export interface Connection {
  /** The database's file; absent: it is in memory. */
  readonly file: string | undefined;
  /** Whether what is committed survives a killed process. */
  readonly durable: boolean;
  readonly breath: Breath;
  /** A statement, prepared once. */
  prepare(sql: string): SqliteStatement;
  /** Does one read, a single statement, when there is time for it. */
  read<T>(work: () => T, signal: AbortSignal | undefined): Promise<T>;
  /** Does writes in one transaction that takes the lock at its start: all, or, when the work throws, none. */
  write<T>(work: () => T, signal: AbortSignal | undefined): Promise<T>;
}

export function connectionOver(driver: SqliteDriver, options: ConnectionOptions): Connection {
  const file = fileOf(driver);
  const journal = file === undefined ? "memory" : textOf(driver.prepare("pragma journal_mode").get());
  const afterCommit =
    file !== undefined && journal === "wal"
      ? walGuard(driver, {
          file,
          limitBytes: options.walLimitBytes,
          waits: options.waits,
          onWarning: options.onWarning,
        })
      : undefined;
  const breath = new Breath();
  const reads = new Turns(breath, options.busyTimeoutMs);
  const writes = new Turns(breath, options.busyTimeoutMs);
  const begin = driver.prepare("begin immediate");
  const commit = driver.prepare("commit");
  const rollback = driver.prepare("rollback");

  const inTransaction = <T>(work: () => T): T => {
    begin.run();
    let result: T;
    try {
      result = work();
      commit.run();
    } catch (error) {
      try {
        rollback.run();
      } catch {
        // After a full disk and the like SQLite has rolled back by itself; the first error says what happened.
      }
      throw error;
    }
    afterCommit?.();
    return result;
  };
  return {
    file,
    durable: journal !== "memory" && journal !== "off",
    breath,
    prepare: (sql) => driver.prepare(sql),
    read: (work, signal) => reads.run(work, signal),
    write: (work, signal) => writes.run(() => inTransaction(work), signal),
  };
}

/** The file of the main database. A database in memory, and one that is gone with its connection, have none. */
function fileOf(driver: SqliteDriver): string | undefined {
  const main = driver
    .prepare("pragma database_list")
    .all()
    .find(({ name }) => name === "main");
  return typeof main?.file === "string" && main.file !== "" ? main.file : undefined;
}

function textOf(row: SqliteRow | undefined): string {
  return String(Object.values(row ?? {})[0]);
}
