/** What SQLite takes and gives. Whole numbers come as `number`; bytes may come as a subclass, such as Node's `Buffer`. */
export type SqliteValue = string | number | bigint | Uint8Array | null;

/** A row, by the names of its columns. */
export interface SqliteRow {
  readonly [column: string]: SqliteValue;
}

/** A prepared statement. Its parameters are `?`, in order. It throws what the binding throws. */
export interface SqliteStatement {
  /** Runs to the end. `changes`: how many rows were inserted, updated or deleted. */
  run(...parameters: SqliteValue[]): { readonly changes: number | bigint };
  /** The first row. */
  get(...parameters: SqliteValue[]): SqliteRow | undefined;
  all(...parameters: SqliteValue[]): readonly SqliteRow[];
}

/**
 * One synchronous connection to SQLite 3.37 or newer. It is the whole of what the stores ask of a binding, so that an
 * application can hand in the connection that it has: {@link betterSqlite3Driver}, {@link nodeSqliteDriver}, or its own.
 */
export interface SqliteDriver {
  /** Runs one or more statements without parameters. */
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
}

/** What is used of a `Database` of `better-sqlite3`. */
export interface BetterSqlite3Database {
  exec(sql: string): unknown;
  prepare(sql: string): object;
}

/** What is used of a `DatabaseSync` of `node:sqlite`. */
export interface NodeSqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): object;
}

/** A connection of `better-sqlite3` that the caller opened, and closes after the stores. */
export function betterSqlite3Driver(database: BetterSqlite3Database): SqliteDriver {
  return driverOver(database, "safeIntegers");
}

/** A connection of `node:sqlite` (Node 22.5 and newer) that the caller opened, and closes after the stores. */
export function nodeSqliteDriver(database: NodeSqliteDatabase): SqliteDriver {
  return driverOver(database, "setReadBigInts");
}

/** Both bindings have the same statements, and differ in how they are told that whole numbers are numbers. */
function driverOver(database: BetterSqlite3Database, wholeNumbers: "safeIntegers" | "setReadBigInts"): SqliteDriver {
  return {
    exec: (sql) => database.exec(sql),
    prepare(sql) {
      const statement = database.prepare(sql) as SqliteStatement & { readonly [name: string]: unknown };
      const asBigInts = statement[wholeNumbers];
      if (typeof asBigInts === "function") asBigInts.call(statement, false);
      return statement;
    },
  };
}
