import type { JsonObject, JsonValue, ToolCallBlock } from "@tinyagents/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { traceOfCalls } from "../../src/machine/call-trace.js";

const call = (name: string, args: unknown, raw?: string): ToolCallBlock => ({
  type: "tool_call",
  id: "any",
  name,
  args: args as JsonObject,
  ...(raw === undefined ? {} : { invalid: { reason: "no JSON", raw } }),
});

const traceOf = (...args: readonly unknown[]) => traceOfCalls(args.map((one) => call("look", one)));

/** The same value with the keys of every object the other way round. */
function turnedRound(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(turnedRound);
  const entries = Object.entries(value).map(([key, entry]) => [key, turnedRound(entry as JsonValue)] as const);
  return Object.fromEntries(entries.reverse());
}

describe("the trace of calls, by which repeats are known (AL-02)", () => {
  test("is the same whatever the order of keys", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const args = { value: value as JsonValue, other: 1 };
        expect(traceOf(turnedRound(args))).toBe(traceOf(args));
      }),
    );
  });

  test("is a whole number that a state can hold", () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => Number.isSafeInteger(traceOf({ value }))));
  });

  test("tells apart what differs", () => {
    const different: readonly ToolCallBlock[][] = [
      [],
      [call("look", {})],
      [call("loo", { k: {} })],
      [call("look", {}), call("look", {})],
      ...[
        1,
        2,
        -1,
        1.5,
        2 ** 31,
        2 ** 40,
        "1",
        "",
        "ab",
        true,
        false,
        null,
        [],
        {},
        [1],
        [[1]],
        [1, 2],
        [12],
        ["1", "2"],
      ].map((value) => [call("look", { value })]),
      [call("look", { a: "bc" })],
      [call("look", { ab: "c" })],
      [call("look", { a: { b: 1 }, c: 2 })],
      [call("look", { a: { b: 1, c: 2 } })],
      [call("look", {}, "{")],
      [call("look", {}, "{{")],
    ];
    expect(new Set(different.map(traceOfCalls)).size).toBe(different.length);
  });

  test("leaves out what is absent", () => {
    expect(traceOf({ a: 1, b: undefined })).toBe(traceOf({ a: 1 }));
  });

  test("is made of arguments that hold themselves too", () => {
    const endless: { self?: unknown } = {};
    endless.self = endless;
    expect(Number.isSafeInteger(traceOf(endless))).toBe(true);
  });
});
