import { expect, test } from "vitest";
import { argsText, countOf, objectsOf, reportedUsage, textOf } from "./wire-value.js";

test("what is no text of the wire is an empty one", () => {
  expect([textOf("a"), textOf(1), textOf(null), textOf(undefined)]).toEqual(["a", "", "", ""]);
});

test("of a list objects are read", () => {
  expect(objectsOf([{ a: 1 }, 2, null, [3]])).toEqual([{ a: 1 }]);
  expect(objectsOf("text")).toEqual([]);
});

test("arguments are text, or the object itself", () => {
  expect([argsText('{"a":'), argsText({ a: 1 }), argsText(null), argsText(undefined)]).toEqual([
    '{"a":',
    '{"a":1}',
    "",
    "",
  ]);
});

test("what is no count is unknown, and not zero", () => {
  expect([countOf(0), countOf(7), countOf(-1), countOf("7"), countOf(null)]).toEqual([
    0,
    7,
    undefined,
    undefined,
    undefined,
  ]);
  expect(countOf(Number.POSITIVE_INFINITY)).toBeUndefined();
});

test("usage has the counts that the server told (USG-01)", () => {
  expect(reportedUsage({ inputTokens: 3, outputTokens: 0, cachedInputTokens: null, reasoningTokens: "many" })).toEqual({
    inputTokens: 3,
    outputTokens: 0,
    source: "reported",
  });
});
