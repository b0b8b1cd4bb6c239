import Database from "better-sqlite3";
import { onTestFinished } from "vitest";
import { type SqliteBackend, type SqliteFileOptions, sqliteBackend } from "../src/index.js";
import { databaseFolder } from "./places.js";

/** A connection as an application opens one. */
export function openDatabase(path: string): Database.Database {
  const database = new Database(path);
  database.pragma("journal_mode = wal");
  return database;
}

/** A file that is gone after the test, with a backend on it and a connection past it. */
export function openFile(options: Omit<SqliteFileOptions, "path"> = {}): {
  readonly path: string;
  readonly backend: SqliteBackend;
  readonly raw: Database.Database;
} {
  const { path, remove } = databaseFolder();
  const backend = sqliteBackend({ path: path("a.db"), synchronous: "normal", ...options });
  const raw = openDatabase(path("a.db"));
  onTestFinished(async () => {
    raw.close();
    await backend.close();
    await remove();
  });
  return { path: path("a.db"), backend, raw };
}
