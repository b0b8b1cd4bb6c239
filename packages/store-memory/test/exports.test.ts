import { expect, test } from "vitest";
import * as storeMemory from "../src/index.js";

test("the package exports these names at run time, and no others", () => {
  expect(Object.keys(storeMemory).sort()).toEqual(["memoryAppendStore", "memoryBackend", "memoryStore"]);
});
