import { expect, test } from "vitest";
import { saidFields } from "./said-fields.js";

test("fields that say nothing are left out; null, zero and false say something", () => {
  const silent = { a: undefined, b: "", c: [], d: {} };
  const said = { e: null, f: 0, g: false, h: " ", i: [undefined], j: { k: "" } };
  expect(saidFields({ ...silent, ...said })).toEqual(said);
});
