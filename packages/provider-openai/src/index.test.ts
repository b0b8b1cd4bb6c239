import { expect, it } from "vitest";
import * as exported from "./index.js";

it("exports only what is meant to be used", () => {
  expect(Object.keys(exported).sort()).toEqual([
    "compatiblePresets",
    "openaiCompatible",
    "openaiEmbeddings",
    "openaiModel",
  ]);
});
