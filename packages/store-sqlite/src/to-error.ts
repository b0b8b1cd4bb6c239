import { corruptData, messageOf, storeFailure, type TinyAgentsError } from "@tinyagents/core";

/** Primary result codes, as bindings without names give them. @see https://www.sqlite.org/rescode.html */
const NAMES: { readonly [code: number]: string } = {
  5: "SQLITE_BUSY",
  6: "SQLITE_LOCKED",
  11: "SQLITE_CORRUPT",
  26: "SQLITE_NOTADB",
};

/** What SQLite says of statements that its tables do not fit. The code for it is that of many mistakes. */
const OTHER_TABLES = /no such (table|column)|has no column named/;

/** Whether somebody else holds the lock, so that a repeat can help. */
export function isBusy(error: unknown): boolean {
  const code = codeOf(error);
  return code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED");
}

/** An error of a binding as one of ours. `place` names the database: `SQLite file "a.db"`. */
export function toError(error: unknown, store: string, operation: string, place: string): TinyAgentsError {
  const code = codeOf(error);
  const message = messageOf(error);
  if (code.startsWith("SQLITE_CORRUPT") || code === "SQLITE_NOTADB") return corruptData(place, message, error);
  if (OTHER_TABLES.test(message))
    return corruptData(
      place,
      `the tables in it are not those that createSqliteSchema makes (${message}). Use another file or tablePrefix`,
      error,
    );
  return storeFailure(store, operation, error, { retryable: isBusy(error) });
}

/** The name of a result code, from `code` as better-sqlite3 gives it or `errcode` as Node does; empty where there is none. */
function codeOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return "";
  const { code, errcode } = error as { readonly code?: unknown; readonly errcode?: unknown };
  if (typeof code === "string" && code.startsWith("SQLITE_")) return code;
  return typeof errcode === "number" ? (NAMES[errcode & 0xff] ?? "") : "";
}
