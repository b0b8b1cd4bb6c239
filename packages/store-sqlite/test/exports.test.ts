import { expect, test } from "vitest";
import * as storeSqlite from "../src/index.js";

test("the package exports these names at run time, and no others", () => {
  expect(Object.keys(storeSqlite).sort()).toEqual([
    "betterSqlite3Driver",
    "createSqliteSchema",
    "nodeSqliteDriver",
    "sqliteBackend",
  ]);
});
