import * as nodeModule from "node:module";
import { messageOf, TinyAgentsError } from "@tinyagents/core";
import type { BetterSqlite3Database } from "./driver.js";
import { isBusy } from "./to-error.js";

/** How careful SQLite is with each commit. */
export type SqliteSynchronous = "full" | "normal" | "off";

export interface OpenOptions {
  readonly path: string;
  readonly synchronous: SqliteSynchronous;
  readonly busyTimeoutMs: number;
  readonly walLimitBytes: number;
}

/** A database that we opened, and close. */
export interface OpenDatabase extends BetterSqlite3Database {
  pragma(source: string): unknown;
  close(): unknown;
}

/** How long after it was locked it is tried again, ms. */
const AGAIN_MS = 5;

type Constructor = new (path: string, options: { readonly timeout: number }) => OpenDatabase;

/** Opens a file with `better-sqlite3`, which is loaded now and not before. Opening waits for locks; nothing later does. */
export function openDatabase({ path, synchronous, busyTimeoutMs, walLimitBytes }: OpenOptions): OpenDatabase {
  const Database = loadBetterSqlite3();
  const database = new Database(path, { timeout: Math.ceil(busyTimeoutMs) });
  try {
    // Of two processes that open a new file at once, SQLite tells one that it is busy, and does not wait.
    untilFree(() => database.pragma("journal_mode = wal"), busyTimeoutMs);
    database.pragma(`synchronous = ${synchronous}`);
    // What the log has grown by beyond this is given back to the disk when it starts anew.
    database.pragma(`journal_size_limit = ${Math.floor(walLimitBytes)}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Does again what somebody else's lock keeps from being done, at most for so long, ms. The thread sleeps meanwhile. */
function untilFree(work: () => unknown, longestMs: number): void {
  const start = performance.now();
  for (;;) {
    try {
      work();
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() - start >= longestMs) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, AGAIN_MS);
    }
  }
}

/** @throws `store_failed` that says how to install it. */
export function loadBetterSqlite3(
  load: (name: string) => unknown = nodeModule.createRequire(import.meta.url),
): Constructor {
  try {
    return load("better-sqlite3") as Constructor;
  } catch (error) {
    const isMissing = (error as { readonly code?: unknown } | undefined)?.code === "MODULE_NOT_FOUND";
    throw new TinyAgentsError(
      "store_failed",
      isMissing
        ? "sqliteBackend({ path }) needs the package better-sqlite3, which is not installed: npm install better-sqlite3. Or hand in a connection of your own as `driver`."
        : `better-sqlite3 is installed and cannot be loaded: ${messageOf(error)} Build it for this Node: npm rebuild better-sqlite3. Or hand in a connection of your own as \`driver\`.`,
      { details: { store: "SQLite store", operation: "open" }, cause: error },
    );
  }
}
