import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { onTestFinished } from "vitest";
import { type SqliteBackend, type SqliteFileOptions, sqliteBackend } from "../src/index.js";

/** A new folder for databases. */
export function temporaryFolder(): { path(name: string): string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), "store-sqlite-"));
  return { path: (name) => join(folder, name), remove: () => rmSync(folder, { recursive: true, force: true }) };
}

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
  const { path, remove } = temporaryFolder();
  const backend = sqliteBackend({ path: path("a.db"), synchronous: "normal", ...options });
  const raw = openDatabase(path("a.db"));
  onTestFinished(async () => {
    raw.close();
    await backend.close();
    remove();
  });
  return { path: path("a.db"), backend, raw };
}
