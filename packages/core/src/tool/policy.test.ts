import { describe, expect, test } from "vitest";
import { isClassified, isConcurrencySafe, isIdempotent, type ToolPolicy } from "./policy.js";

describe("a policy that does not say", () => {
  test("leaves its tool unclassified: it may overlap, and is not repeated", () => {
    expect([isClassified({}), isConcurrencySafe({}), isIdempotent({})]).toEqual([false, true, false]);
  });

  test.each<[NonNullable<ToolPolicy["effect"]>, boolean]>([
    ["none", true],
    ["read", true],
    ["write", false],
    ["external", false],
    ["destructive", false],
  ])("goes by its effect: %s may overlap and repeat: %s", (effect, harmless) => {
    expect([isClassified({ effect }), isConcurrencySafe({ effect }), isIdempotent({ effect })]).toEqual([
      true,
      harmless,
      harmless,
    ]);
  });
});

test("what a policy says holds against its effect", () => {
  expect(isConcurrencySafe({ effect: "destructive", concurrencySafe: true })).toBe(true);
  expect(isConcurrencySafe({ effect: "read", concurrencySafe: false })).toBe(false);
  expect(isIdempotent({ effect: "write", idempotent: true })).toBe(true);
  expect(isIdempotent({ effect: "none", idempotent: false })).toBe(false);
});
