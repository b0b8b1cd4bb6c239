import { describe, expect, it, onTestFinished } from "vitest";
import { betterSqlite3Driver, createSqliteSchema, sqliteBackend } from "../src/index.js";
import { databaseFolder } from "./places.js";
import { openDatabase, openFile } from "./support.js";

const TEXT = { type: "text", text: "x" } as const;

function ownDatabase(): ReturnType<typeof openDatabase> {
  const database = openDatabase(":memory:");
  onTestFinished(() => void database.close());
  return database;
}

describe("a connection of the caller (STO-17)", () => {
  it("is still open when the backend is closed", async () => {
    const database = ownDatabase();
    const backend = sqliteBackend({ driver: betterSqlite3Driver(database) });
    await backend.store.put(["a"], TEXT);
    await backend.close();
    expect(database.prepare("select count(*) as n from tinyagents_records").get()).toEqual({ n: 1 });
  });

  it("may give whole numbers as bigints everywhere else", async () => {
    const database = ownDatabase();
    database.defaultSafeIntegers(true);
    const { log } = sqliteBackend({ driver: betterSqlite3Driver(database) });
    expect([await log.append("s", ["a", "b"]), await log.append("s", ["c"])]).toEqual([0, 2]);
    expect(await log.read("s", { from: 2 })).toEqual([{ offset: 2, value: "c" }]);
    expect(database.prepare("select 1 as n").get()).toEqual({ n: 1n });
    expect(betterSqlite3Driver(database).prepare("select 1 as n").get()).toEqual({ n: 1 });
  });

  it("keeps the caller's own transaction: a write inside it is refused, and neither rolls it back nor ends it", async () => {
    const database = ownDatabase();
    const { store } = sqliteBackend({ driver: betterSqlite3Driver(database) });
    database.exec("create table own (n); begin; insert into own values (1)");
    await expect(store.put(["a"], TEXT)).rejects.toMatchObject({ code: "store_failed", retryable: false });
    expect(database.inTransaction).toBe(true);
    database.exec("commit");
    expect(database.prepare("select n from own").get()).toEqual({ n: 1 });
    await store.put(["a"], TEXT);
  });

  it("keeps its settings", () => {
    const { path, remove } = databaseFolder();
    onTestFinished(remove);
    const database = openDatabase(path("a.db"));
    database.pragma("busy_timeout = 1234");
    database.pragma("synchronous = 3");
    database.pragma("wal_autocheckpoint = 77");
    sqliteBackend({ driver: betterSqlite3Driver(database) });
    const setting = (name: string) => database.pragma(name, { simple: true });
    expect(["busy_timeout", "synchronous", "wal_autocheckpoint"].map(setting)).toEqual([1234, 3, 77]);
    database.close();
  });

  it("is not claimed durable where a killed process may damage its file", () => {
    const { path, remove } = databaseFolder();
    onTestFinished(remove);
    const database = openDatabase(path("a.db"));
    database.pragma("journal_mode = memory");
    const { store, log } = sqliteBackend({ driver: betterSqlite3Driver(database) });
    expect([store.capabilities.durable, log.capabilities.durable]).toEqual([false, false]);
    database.close();
  });

  it("that the caller has closed too early fails its calls, and says so", async () => {
    const database = openDatabase(":memory:");
    const backend = sqliteBackend({ driver: betterSqlite3Driver(database) });
    database.close();
    await expect(backend.store.get(["a"])).rejects.toThrow("The SQLite store failed to get");
    await backend.close();
  });

  it("holds several sets of tables, each by its prefix", async () => {
    const driver = betterSqlite3Driver(ownDatabase());
    const [one, other] = [
      sqliteBackend({ driver, tablePrefix: "one_" }),
      sqliteBackend({ driver, tablePrefix: "Two_" }),
    ];
    await one.store.put(["a"], TEXT);
    expect(await other.store.get(["a"])).toBeUndefined();
    expect(() => createSqliteSchema(driver, { tablePrefix: "two_" })).not.toThrow();
  });

  it("of another library needs exec and prepare alone", async () => {
    const database = ownDatabase();
    const log: string[] = [];
    const driver = {
      exec(sql: string) {
        log.push(sql);
        return database.exec(sql);
      },
      prepare: betterSqlite3Driver(database).prepare,
    };
    const { store } = sqliteBackend({ driver });
    await store.put(["a"], TEXT);
    expect(await store.get(["a"])).toMatchObject({ value: TEXT });
    expect(log[0]).toBe("begin immediate");
  });
});

describe("the tables (STO-09)", () => {
  it("are made once, however many connections begin at the same time, and then left alone", async () => {
    const { path } = openFile();
    const database = openDatabase(path);
    const changes = () => database.pragma("schema_version", { simple: true });
    const before = changes();
    createSqliteSchema(betterSqlite3Driver(database));
    expect(changes()).toBe(before);
    database.close();
  });

  it("are made whole or not at all", () => {
    const database = ownDatabase();
    database.exec("create table tinyagents_entries (own)");
    expect(() => createSqliteSchema(betterSqlite3Driver(database))).toThrow("already exists");
    const tables = database.prepare("select name from sqlite_schema where type = 'table'").all();
    expect(tables).toEqual([{ name: "tinyagents_entries" }]);
    expect(database.inTransaction).toBe(false);
  });
});
