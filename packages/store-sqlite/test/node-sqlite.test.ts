import { appendStoreConformance, storeConformance } from "@tinyagents/conformance/vitest";
import { manualClock } from "@tinyagents/core";
import { describe, expect, it } from "vitest";
import { type NodeSqliteDatabase, nodeSqliteDriver, sqliteBackend } from "../src/index.js";
import { databaseFolder } from "./places.js";

type Database = NodeSqliteDatabase & { close(): void };
type Sqlite = { readonly DatabaseSync: new (path: string) => Database };

/** Node's own binding, where this Node has it. */
const sqlite = process.getBuiltinModule?.("node:sqlite") as Sqlite | undefined;

function openDatabase(path: string): Database {
  const database = new (sqlite as Sqlite).DatabaseSync(path);
  database.exec("pragma journal_mode = wal");
  return database;
}

describe.skipIf(sqlite === undefined)("node:sqlite", () => {
  const subject = {
    name: "sqliteBackend, a connection of node:sqlite (STO-17)",
    create: () => {
      const clock = manualClock();
      const { path, remove } = databaseFolder();
      return {
        open: () => {
          const database = openDatabase(path("a.db"));
          const backend = sqliteBackend({ driver: nodeSqliteDriver(database), clock });
          let closing: Promise<void> | undefined;
          const close = (): Promise<void> => {
            closing ??= backend.close().then(() => database.close());
            return closing;
          };
          return { ...backend, close };
        },
        advance: (ms: number) => clock.advance(ms),
        remove,
      };
    },
  };
  if (sqlite !== undefined) {
    storeConformance(subject);
    appendStoreConformance(subject);
  }

  it("tells a lock as one that a repeat may help", async () => {
    const { path, remove } = databaseFolder();
    const [own, other] = [openDatabase(path("a.db")), openDatabase(path("a.db"))];
    const { store } = sqliteBackend({ driver: nodeSqliteDriver(own), busyTimeoutMs: 5 });
    other.exec("begin immediate");
    const refused = store.put(["a"], { type: "text", text: "x" });
    await expect(refused).rejects.toMatchObject({ code: "store_failed", retryable: true });
    other.exec("commit");
    await store.put(["a"], { type: "text", text: "x" });
    for (const database of [own, other]) database.close();
    await remove();
  });
});
