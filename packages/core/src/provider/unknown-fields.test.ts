import { describe, expect, test } from "vitest";
import type { JsonObject } from "../json.js";
import type { ModelWarning } from "../model/delta.js";
import { UnknownFields, unknownFields } from "./unknown-fields.js";

const KNOWN: ReadonlySet<string> = new Set(["known"]);
const hostile = JSON.parse('{"fine":1,"__proto__":{"a":1}}') as JsonObject;

function grown(...fragments: readonly JsonObject[]): JsonObject | undefined {
  const unknown = new UnknownFields(KNOWN);
  for (const fragment of fragments) unknown.grow(fragment);
  return unknown.fields([]);
}

describe("fields that have no home (MSG-08)", () => {
  test("are kept, without what is read elsewhere and what says nothing", () => {
    expect(unknownFields({ known: 1, tier: "a", note: null }, KNOWN, [])).toEqual({ tier: "a" });
    expect(unknownFields({ known: 1 }, KNOWN, [])).toBeUndefined();
  });

  test("are those that came last", () => {
    const unknown = new UnknownFields(KNOWN);
    unknown.take({ list: [1], tier: "a" });
    unknown.take({ list: [2] });
    expect(unknown.fields([])).toEqual({ list: [2], tier: "a" });
  });

  test("grow where they come in fragments: lists and objects, at any depth", () => {
    const fragments = [1, 2, 3].map((n) => ({ list: [n], deep: { list: [n], [`at${n}`]: n, last: n }, tier: n }));
    expect(grown(...fragments)).toEqual({
      list: [1, 2, 3],
      deep: { list: [1, 2, 3], at1: 1, at2: 2, at3: 3, last: 3 },
      tier: 3,
    });
  });

  test("grow without a change to what came", () => {
    const first = { list: [1], deep: { list: [1] } };
    grown(first, { list: [2], deep: { list: [2] } }, { list: [3], deep: { list: [3] } });
    expect(first).toEqual({ list: [1], deep: { list: [1] } });
  });

  test("that could reach an object's prototype are left out, and a warning says so", () => {
    const warnings: ModelWarning[] = [];
    expect(unknownFields(hostile, KNOWN, warnings)).toBeUndefined();
    expect(warnings).toEqual([expect.objectContaining({ code: "malformed_data" })]);
  });
});
