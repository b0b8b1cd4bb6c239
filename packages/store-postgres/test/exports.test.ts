import { expect, test } from "vitest";
import * as storePostgres from "../src/index.js";

test("the package exports these names at run time, and no others", () => {
  expect(Object.keys(storePostgres).sort()).toEqual(["createPostgresSchema", "postgresBackend"]);
});
