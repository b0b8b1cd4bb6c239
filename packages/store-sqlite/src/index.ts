export {
  type SqliteBackend,
  type SqliteDriverOptions,
  type SqliteFileOptions,
  type SqliteOptions,
  sqliteBackend,
} from "./backend.js";
export {
  type BetterSqlite3Database,
  betterSqlite3Driver,
  type NodeSqliteDatabase,
  nodeSqliteDriver,
  type SqliteDriver,
  type SqliteRow,
  type SqliteStatement,
  type SqliteValue,
} from "./driver.js";
export type { SqliteSynchronous } from "./open.js";
export { createSqliteSchema, type SqliteSchemaOptions } from "./schema.js";
export type { SqliteWarning } from "./wal.js";
