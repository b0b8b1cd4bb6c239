import type Database from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import { betterSqlite3Driver, type SqliteDriver, sqliteBackend } from "../src/index.js";
import { openDatabase } from "./support.js";

/** A driver that notes which statements were run. */
function noting(database: Database.Database, run: Set<string>): SqliteDriver {
  const driver = betterSqlite3Driver(database);
  return {
    ...driver,
    prepare(sql) {
      const statement = driver.prepare(sql);
      const note = <T>(result: T): T => {
        run.add(sql);
        return result;
      };
      return {
        run: (...parameters) => note(statement.run(...parameters)),
        get: (...parameters) => note(statement.get(...parameters)),
        all: (...parameters) => note(statement.all(...parameters)),
      };
    },
  };
}

function planOf(database: Database.Database, sql: string): readonly string[] {
  const rows = database.prepare(`explain query plan ${sql}`).all(...Array(sql.split("?").length - 1).fill(null));
  return (rows as readonly { readonly detail: string }[]).map(({ detail }) => detail);
}

describe("every statement on a table (PF-03)", () => {
  it("finds its rows through an index, in their order, and reads no table from one end to the other", async () => {
    const database = openDatabase(":memory:");
    onTestFinished(() => void database.close());
    const run = new Set<string>();
    const { store, log, close } = sqliteBackend({ driver: noting(database, run) });
    const text = { type: "text", text: "x" } as const;
    for (const order of ["ascending", "descending"] as const) {
      await store.put(["a"], text, { attributes: { n: 1 }, ttlMs: 1_000 });
      await store.put(["a"], text);
      await store.list({ prefix: ["a"], order });
      await store.list({ prefix: [], where: { n: 1, m: 2 }, order });
      await store.batch([{ type: "delete", key: ["a"] }]);
      await log.append("s", [1, 2], { idempotencyKey: `k ${order}` });
      await log.read("s", { order });
      await log.truncate("s", { before: 1 });
      await log.streams("s");
      await log.delete("s");
    }
    await close();

    const statements = [...run].filter(
      (sql) => /^(select|insert|update|delete)/.test(sql) && sql.includes("tinyagents_"),
    );
    const about = statements.filter((sql) => !sql.includes("tinyagents_schema"));
    expect(about.length).toBeGreaterThan(20);
    for (const sql of about) {
      const plan = planOf(database, sql);
      const slow = plan.filter(
        (step) => /^SCAN (?!\(|CONSTANT|other|json_each)/.test(step) || step.includes("TEMP B-TREE"),
      );
      expect({ sql, slow: slow.filter((step) => !/subquery/i.test(step)) }).toEqual({ sql, slow: [] });
    }
  });
});
