import type { JsonSchema, JsonValue } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { scriptedModel } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { withoutOptionalNulls } from "../../src/output/optional-nulls.js";

const text = { type: "string" } as const;

describe("PA-23 a null in a structured answer", () => {
  test.each<[string, JsonSchema, JsonValue, JsonValue]>([
    ["of an optional property", { properties: { a: text, b: text } }, { a: null, b: "x" }, { b: "x" }],
    ["of a nullable one", { properties: { a: { type: ["string", "null"] } } }, { a: null }, { a: null }],
    ["of one with null among its choices", { properties: { a: { enum: ["x", null] } } }, { a: null }, { a: null }],
    [
      "of one with null among its alternatives",
      { properties: { a: { anyOf: [text, { type: "null" }] } } },
      { a: null },
      { a: null },
    ],
    ["of one that may be anything", { properties: { a: {} } }, { a: null }, { a: null }],
    ["of a choice", { properties: { a: { enum: ["x"] } } }, { a: null }, {}],
    ["of one value", { properties: { a: { const: "x" } } }, { a: null }, {}],
    ["of a required property", { properties: { a: text }, required: ["a"] }, { a: null }, { a: null }],
    ["that the schema does not know", { properties: {} }, { a: null }, { a: null }],
    [
      "deep inside",
      { properties: { list: { items: { properties: { a: text } } } } },
      { list: [{ a: null }, { a: "x" }] },
      { list: [{}, { a: "x" }] },
    ],
    ["in a map", { additionalProperties: { properties: { a: text } } }, { k: { a: null } }, { k: {} }],
    [
      "behind a reference",
      { properties: { a: { $ref: "#/$defs/d" } }, $defs: { d: { properties: { b: text } } } },
      { a: { b: null } },
      { a: {} },
    ],
    ["behind a reference, itself", { properties: { a: { $ref: "#/$defs/d" } }, $defs: { d: text } }, { a: null }, {}],
    [
      "in a tree",
      { type: "object", properties: { v: text, next: { $ref: "#" } } },
      { next: { v: null, next: { v: "x", next: null } } },
      { next: { next: { v: "x" } } },
    ],
    [
      "behind a reference that leads to itself",
      { properties: { a: { $ref: "#/$defs/d" } }, $defs: { d: { $ref: "#/$defs/d" } } },
      { a: null },
      { a: null },
    ],
    [
      "of alternatives that lead back to themselves",
      { properties: { a: { $ref: "#/$defs/d" } }, $defs: { d: { anyOf: [{ $ref: "#/$defs/d" }, text] } } },
      { a: null },
      {},
    ],
    [
      "of alternatives in alternatives",
      { properties: { a: { anyOf: [{ oneOf: [text, { type: "null" }] }, text] } } },
      { a: null },
      { a: null },
    ],
    [
      "in an alternative of an alternative",
      { anyOf: [{ type: "array" }, { anyOf: [{ type: "object", properties: { a: text } }] }] },
      { a: null },
      {},
    ],
    [
      "in the alternative that knows it",
      {
        anyOf: [
          { type: "object", properties: { k: text, a: text }, required: ["k"] },
          { type: "object", properties: { k: text, b: text }, required: ["k"] },
        ],
      },
      { k: "x", b: null },
      { k: "x" },
    ],
    ["behind a reference to elsewhere", { properties: { a: { $ref: "other.json" } } }, { a: null }, { a: null }],
  ])("%s", (_, schema, value, expected) => {
    const given = JSON.stringify(value);
    expect(withoutOptionalNulls(schema, value)).toEqual(expected);
    expect(JSON.stringify(value)).toBe(given);
  });

  test("is judged by the alternative that the value fits", () => {
    const variant = (kind: string, a: JsonValue) => ({
      type: "object",
      properties: { kind: { const: kind }, a },
      required: ["kind"],
    });
    const schema = { anyOf: [variant("one", { type: ["string", "null"] }), variant("two", text)] };
    expect(withoutOptionalNulls(schema, { kind: "one", a: null })).toEqual({ kind: "one", a: null });
    expect(withoutOptionalNulls(schema, { kind: "two", a: null })).toEqual({ kind: "two" });
    expect(withoutOptionalNulls(schema, { kind: "three", a: null })).toEqual({ kind: "three", a: null });
  });

  test("of an optional field is absent when the caller's schema checks the answer; a nullable field keeps it", async () => {
    const output = z.object({ city: z.string(), note: z.string().optional(), mayor: z.string().nullable() });
    const model = scriptedModel(['{"city":"Oslo","note":null,"mayor":null}'], {
      profile: { capabilities: { structured_output: "yes" } },
    });
    const run = await createAgent({ name: "a", model, output }).invoke("Where?");
    expect(run.output).toEqual({ city: "Oslo", mayor: null });
    expect(run.counters.corrections).toBe(0);
  });
});
