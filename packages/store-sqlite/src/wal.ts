import { statSync } from "node:fs";
import type { SqliteDriver } from "./driver.js";

/** The write-ahead log of the database has passed its bound, and could not be reset: some reader keeps it. */
export interface SqliteWarning {
  readonly type: "wal_limit";
  /** The file of the log. */
  readonly path: string;
  readonly bytes: number;
  readonly limitBytes: number;
}

export interface WalOptions {
  /** The database's file. */
  readonly file: string;
  readonly limitBytes: number;
  /** Whether the connection may wait for others: then it must not ask for the log to be reset, only to be copied. */
  readonly waits: boolean;
  readonly onWarning: ((warning: SqliteWarning) => void) | undefined;
}

/** Looking at a file's size is a system call; so many writes go by between two looks. */
const WRITES_BETWEEN = 32;

/**
 * Keeps the write-ahead log within its bound. SQLite copies it into the database now and then by itself, and starts it anew
 * when no reader needs it and all is copied; with several processes writing all the time, that moment may never come.
 * What is returned is called after each commit.
 */
export function walGuard(driver: SqliteDriver, { file, limitBytes, waits, onWarning }: WalOptions): () => void {
  const path = `${file}-wal`;
  const checkpoint = driver.prepare(`pragma wal_checkpoint(${waits ? "passive" : "truncate"})`);
  let writes = 0;
  let warnAboveBytes = limitBytes;
  const sizeOf = (): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

  return () => {
    if (++writes % WRITES_BETWEEN !== 0) return;
    if (sizeOf() <= limitBytes) {
      warnAboveBytes = limitBytes;
      return;
    }
    try {
      checkpoint.get();
    } catch {
      // The write is done whatever comes of this, and whether it helped is seen from the size.
    }
    const bytes = sizeOf();
    if (bytes <= warnAboveBytes) return;
    // Told again when it has doubled, or after it was within its bound.
    warnAboveBytes = bytes * 2;
    if (onWarning !== undefined) queueMicrotask(() => onWarning({ type: "wal_limit", path, bytes, limitBytes }));
  };
}
