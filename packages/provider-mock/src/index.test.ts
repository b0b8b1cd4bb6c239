import { expect, it } from "vitest";
import * as exported from "./index.js";

it("exports what it promises and nothing else", () => {
  expect(Object.keys(exported)).toEqual(["mockModel"]);
});
