import { describe, expect, it } from "vitest";
import { type SqliteFileOptions, sqliteBackend } from "../src/index.js";
import { loadBetterSqlite3 } from "../src/open.js";

const driver = { exec() {}, prepare() {} };

describe("options that cannot be (STO-09)", () => {
  it.each([
    ["none", undefined, "sqliteBackend: options: an object is expected"],
    ["neither path nor driver", {}, "either a path or a driver"],
    ["both", { path: "a.db", driver }, "either a path or a driver"],
    [
      "one that there is not",
      { path: "a.db", tablePrefx: "a_" },
      "sqliteBackend: options.tablePrefx: there is no such",
    ],
    ["an empty path", { path: "" }, "path"],
    ["a path with a NUL", { path: "a\0.db" }, "path"],
    ["a driver without prepare", { driver: { exec() {} } }, "betterSqlite3Driver"],
    ["a setting of a connection that is handed in", { driver, synchronous: "full" }, "set it there"],
    [
      "a setting that SQLite does not know",
      { path: ":memory:", synchronous: "extra; drop" },
      '"full" or "normal" or "off"',
    ],
    ["no time", { path: ":memory:", busyTimeoutMs: Number.NaN }, "busyTimeoutMs"],
    ["a negative time", { path: ":memory:", busyTimeoutMs: -1 }, "busyTimeoutMs"],
    ["no bound", { path: ":memory:", walLimitBytes: 0 }, "walLimitBytes"],
    ["what cannot be called", { path: ":memory:", onWarning: "log" }, "onWarning"],
    ["no clock", { path: ":memory:", clock: Date }, "options.clock"],
    ["a prefix that is a statement", { path: ":memory:", tablePrefix: "a; drop table b; --" }, "tablePrefix"],
    ["an empty prefix", { path: ":memory:", tablePrefix: "" }, "tablePrefix"],
    ["a prefix of SQLite's own", { path: ":memory:", tablePrefix: "SQLite_x" }, "tablePrefix"],
  ])("are refused at once: %s", (_, options, said) => {
    const open = () => sqliteBackend(options as unknown as SqliteFileOptions);
    expect(open).toThrow(TypeError);
    expect(open).toThrow(said);
  });
});

describe("better-sqlite3 (STO-09)", () => {
  it("that is not installed is named, with the command that installs it", () => {
    const missing = () => {
      throw Object.assign(new Error("Cannot find module"), { code: "MODULE_NOT_FOUND" });
    };
    expect(() => loadBetterSqlite3(missing)).toThrow("npm install better-sqlite3");
    expect(() => loadBetterSqlite3(missing)).toThrow(expect.objectContaining({ code: "store_failed" }));
  });

  it("that was not built for this Node is named, with what is wrong", () => {
    const broken = () => {
      throw new Error("NODE_MODULE_VERSION 115");
    };
    expect(() => loadBetterSqlite3(broken)).toThrow("NODE_MODULE_VERSION 115");
    expect(() => loadBetterSqlite3(broken)).toThrow("npm rebuild better-sqlite3");
  });
});
