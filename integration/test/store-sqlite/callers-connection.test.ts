import { checkpointStoreConformance } from "@tinyagents/conformance/vitest";
import { checkpointStore } from "@tinyagents/persistence";
import { betterSqlite3Driver, sqliteBackend } from "@tinyagents/store-sqlite";
import Database from "better-sqlite3";
import { expect, test } from "vitest";

checkpointStoreConformance({
  name: "checkpointStore over an SQLite connection of the caller (STO-17)",
  create: () => {
    const database = new Database(":memory:");
    return {
      open: () => {
        const { log, close } = sqliteBackend({ driver: betterSqlite3Driver(database) });
        return { checkpoints: checkpointStore(log), close };
      },
      remove: async () => void database.close(),
    };
  },
});

test("checkpoints lie in tables beside the caller's own, whose connection stays open (STO-17)", async () => {
  const database = new Database(":memory:");
  database.exec("CREATE TABLE guests (name TEXT); INSERT INTO guests VALUES ('Ada')");
  const { log, close } = sqliteBackend({ driver: betterSqlite3Driver(database), tablePrefix: "agents_" });
  const checkpoints = checkpointStore(log);
  await log.append("beside", [1]);
  expect((await checkpoints.threads()).items).toEqual([]);
  await close();
  expect(database.prepare("SELECT name FROM guests").all()).toEqual([{ name: "Ada" }]);
  database.close();
});
