import { writeFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { sqliteBackend } from "../src/index.js";
import { databaseFolder } from "./places.js";
import { openDatabase, openFile } from "./support.js";

const KEY = ["thread", "1"];
const RECORD = 'record ["thread","1"] in SQLite table "tinyagents_records"';

describe("a record that is damaged (DG-04)", () => {
  it.each([
    ["a value that is cut off", "value = '{\"a\":'", `${RECORD}.value`],
    ["a value that is no text", "value = x'00'", `${RECORD}.value`],
    ["a text that is not one", "kind = 1", `${RECORD}.value`],
    ["bytes that are a text", "kind = 2", `${RECORD}.value`],
    ["a kind that nobody knows", "kind = 9", `${RECORD}.value`],
    ["attributes that are cut off", "attributes = '{'", `${RECORD}.attributes`],
    ["attributes that are no object", "attributes = 'null'", `${RECORD}.attributes`],
    ["an attribute that is an object", "attributes = '{\"a\":{}}'", `${RECORD}.attributes`],
    ["a key that is none", "key = x'6100ff'", 'a key in SQLite table "tinyagents_records"'],
  ])("is not read as another, and its place is named: %s", async (_, damage, place) => {
    const { backend, raw } = openFile();
    await backend.store.put(KEY, { type: "json", value: { a: 1 } }, { attributes: { a: 1 } });
    await backend.store.put(["thread", "2"], { type: "text", text: "x" });
    raw.exec(`update tinyagents_records set ${damage} where id = 1`);
    const corrupt = { code: "corrupt_data", details: { place } };
    await expect(backend.store.list({ prefix: [] })).rejects.toMatchObject(corrupt);
    if (!damage.startsWith("key")) await expect(backend.store.get(KEY)).rejects.toMatchObject(corrupt);
  });

  it("can be written anew and deleted, and leaves nothing in the index", async () => {
    const { backend, raw } = openFile();
    for (const write of ["put", "delete"] as const) {
      await backend.store.put(KEY, { type: "text", text: "x" }, { attributes: { open: true } });
      raw.exec("update tinyagents_records set attributes = '{'");
      if (write === "put") await backend.store.put(KEY, { type: "text", text: "new" });
      else expect(await backend.store.delete(KEY)).toBe(true);
      expect((await backend.store.list({ prefix: [], where: { open: true } })).items).toEqual([]);
      expect(raw.prepare("select count(*) as n from tinyagents_attributes").get()).toEqual({ n: 0 });
    }
  });

  it("of a log is named by stream and offset, and not passed over", async () => {
    const { backend, raw } = openFile();
    await backend.log.append("s", [{ a: 1 }, { a: 2 }, { a: 3 }]);
    raw.exec("update tinyagents_entries set value = '{\"a\":' where id & 4294967295 = 1");
    await expect(backend.log.read("s")).rejects.toMatchObject({
      code: "corrupt_data",
      details: { place: 'record 1 of stream "s" in SQLite table "tinyagents_entries"' },
    });
    expect(await backend.log.read("s", { from: 2 })).toEqual([{ offset: 2, value: { a: 3 } }]);
  });

  it("among the names of streams is told", async () => {
    const { backend, raw } = openFile();
    await backend.log.append("s", [1]);
    raw.exec("update tinyagents_streams set name = x'80'");
    await expect(backend.log.streams()).rejects.toMatchObject({ code: "corrupt_data" });
  });
});

describe("a file that cannot be used (DG-04)", () => {
  const fileOf = (name: string): string => {
    const { path, remove } = databaseFolder();
    onTestFinished(remove);
    return path(name);
  };
  /** A database that was made, and changed by somebody else then. */
  const changedBy = async (sql: string): Promise<string> => {
    const path = fileOf("a.db");
    await sqliteBackend({ path }).close();
    const raw = openDatabase(path);
    raw.exec(sql);
    raw.close();
    return path;
  };

  it("is refused when it is no database, and is left as it is", () => {
    const path = fileOf("a.db");
    writeFileSync(path, "no database ".repeat(1_000));
    expect(() => sqliteBackend({ path })).toThrow(expect.objectContaining({ code: "corrupt_data" }));
    expect(() => sqliteBackend({ path })).toThrow(path);
  });

  it("is refused when its folder is not there", () => {
    const path = fileOf("missing/a.db");
    expect(() => sqliteBackend({ path })).toThrow(expect.objectContaining({ code: "store_failed" }));
    expect(() => sqliteBackend({ path })).toThrow(path);
  });

  it("is refused when a newer version made its tables, which stay as they are", async () => {
    const path = fileOf("a.db");
    await sqliteBackend({ path }).close();
    const raw = openDatabase(path);
    raw.exec("update tinyagents_schema set version = 99");
    expect(() => sqliteBackend({ path })).toThrow(
      expect.objectContaining({
        code: "version_mismatch",
        details: expect.objectContaining({ found: 99, expected: 1 }),
      }),
    );
    expect(raw.prepare("select version from tinyagents_schema").get()).toEqual({ version: 99 });
    raw.close();
  });

  it.each([
    "alter table tinyagents_entries rename column value to content",
    "alter table tinyagents_records drop column updated_at_ms",
    "drop table tinyagents_append_keys",
  ])("is refused when its tables are others than their version says: %s", async (damage) => {
    const path = await changedBy(damage);
    expect(() => sqliteBackend({ path })).toThrow(
      expect.objectContaining({
        code: "corrupt_data",
        message: expect.stringMatching(/createSqliteSchema.*Use another file or tablePrefix/),
        details: expect.objectContaining({ place: `SQLite file ${JSON.stringify(path)}` }),
      }),
    );
  });

  it.each([
    "delete from tinyagents_schema",
    "update tinyagents_schema set version = 0",
    "insert into tinyagents_schema values (1)",
  ])("is refused when its version cannot be told: %s", async (damage) => {
    const path = await changedBy(damage);
    expect(() => sqliteBackend({ path })).toThrow(
      expect.objectContaining({
        code: "corrupt_data",
        details: expect.objectContaining({ place: 'the schema version in SQLite table "tinyagents_schema"' }),
      }),
    );
  });
});
