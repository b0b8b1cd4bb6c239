import type { JsonObject, JsonValue } from "@tinyagents/core";
import { describe, expect, it } from "vitest";
import { toStrictSchema } from "./strict-schema.js";

function object(properties: JsonObject, more: JsonObject = {}): JsonObject {
  return { type: "object", properties, required: Object.keys(properties), additionalProperties: false, ...more };
}

function many(count: number): JsonObject {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, { type: "string" }]));
}

function nested(levels: number): JsonObject {
  let schema = object({});
  for (let level = 0; level < levels; level++) schema = object({ a: schema });
  return schema;
}

function lists(levels: number): JsonObject {
  let schema: JsonObject = { type: "string" };
  for (let level = 0; level < levels; level++) schema = { type: "array", items: schema };
  return schema;
}

function strictProperty(property: JsonValue): unknown {
  const strict = toStrictSchema(object({ a: property }, { required: [] }));
  return "schema" in strict ? (strict.schema.properties as JsonObject).a : strict;
}

describe("a schema in strict mode (PA-23)", () => {
  it("stays as it is where it is strict all the way down", () => {
    const schema = object(
      {
        list: { type: "array", items: object({ a: { type: "number" } }) },
        or: { anyOf: [{ type: "string" }, object({})] },
      },
      { $defs: { d: object({ x: { type: "null" } }) } },
    );
    expect(toStrictSchema(schema)).toEqual({ schema, changes: [] });
  });

  it.each<[string, JsonValue, JsonValue]>([
    ["a type", { type: "string", pattern: "^a" }, { type: ["string", "null"], pattern: "^a" }],
    ["several types", { type: ["string", "number"] }, { type: ["string", "number", "null"] }],
    ["a choice", { type: "string", enum: ["x"] }, { type: ["string", "null"], enum: ["x", null] }],
    ["a reference", { $ref: "#/$defs/d" }, { anyOf: [{ $ref: "#/$defs/d" }, { type: "null" }] }],
    ["one value", { type: "string", const: "x" }, { anyOf: [{ type: "string", const: "x" }, { type: "null" }] }],
    ["alternatives", { anyOf: [{ type: "string" }] }, { anyOf: [{ type: "string" }, { type: "null" }] }],
    ["a nullable choice", { type: "string", enum: ["x", null] }, { type: ["string", "null"], enum: ["x", null] }],
    [
      "a choice without null of a nullable type",
      { type: ["string", "null"], enum: ["x"] },
      { type: ["string", "null"], enum: ["x", null] },
    ],
    ["anything", {}, { anyOf: [{}, { type: "null" }] }],
    ["a nullable type", { type: ["string", "null"] }, { type: ["string", "null"] }],
    ["nullable alternatives", { anyOf: [{ type: "null" }] }, { anyOf: [{ type: "null" }] }],
  ])("requires what is optional, and takes null of it beside its own type: %s", (_, property, strict) => {
    expect(strictProperty(property)).toEqual(strict);
  });

  it("tells every change, with its place", () => {
    const loose = {
      type: "object",
      properties: {
        a: { type: "string", default: "x" },
        list: {
          type: "array",
          items: { type: "object", properties: { b: { oneOf: [{ type: "string" }] } }, required: ["b"] },
        },
      },
      required: ["list"],
    };
    expect(toStrictSchema(loose)).toEqual({
      schema: object({
        a: { type: ["string", "null"] },
        list: { type: "array", items: object({ b: { anyOf: [{ type: "string" }] } }) },
      }),
      changes: [
        "the root allows no additional properties",
        "a has no default",
        "a is null where it would be absent",
        "list[] allows no additional properties",
        "list[].b has anyOf for oneOf",
      ],
    });
  });

  it("leaves out what strict mode does not know, and says so", () => {
    const strict = toStrictSchema(
      object(
        {
          a: { type: "string", minLength: 1, maxLength: 9, format: "date" },
          b: { type: "array", items: { type: "number" }, uniqueItems: true, minItems: 1 },
          c: { $ref: "#/$defs/c", description: "Which.", title: "C" },
        },
        { $defs: { c: { type: "string" } } },
      ),
    );
    expect(strict).toEqual({
      schema: object(
        {
          a: { type: "string", format: "date" },
          b: { type: "array", items: { type: "number" }, minItems: 1 },
          c: { $ref: "#/$defs/c" },
        },
        { $defs: { c: { type: "string" } } },
      ),
      changes: [
        "a has no minLength",
        "a has no maxLength",
        "b has no uniqueItems",
        "c has no description and title beside $ref",
      ],
    });
  });

  it("takes objects in ten others, each in a list", () => {
    let schema = object({});
    for (let level = 0; level < 10; level++) schema = object({ a: { type: "array", items: schema } });
    expect(toStrictSchema(schema)).toEqual({ schema, changes: [] });
  });

  it("takes a schema that refers to itself", () => {
    const tree = object({ next: { $ref: "#" }, other: { $ref: "#/$defs/d" } }, { $defs: { d: { $ref: "#/$defs/d" } } });
    expect(toStrictSchema(tree)).toEqual({ schema: tree, changes: [] });
  });

  it("has names that mean something to objects as any others", () => {
    const named = object(JSON.parse('{"__proto__":{"type":"string"},"constructor":{"type":"string"}}'));
    const found = toStrictSchema(named);
    expect(JSON.stringify(found)).toBe(JSON.stringify({ schema: named, changes: [] }));
  });

  it("leaves the schema that it was given alone", () => {
    const loose = Object.freeze({
      type: "object",
      properties: Object.freeze({ a: Object.freeze({ type: "string" }) }),
    });
    expect(toStrictSchema(loose)).toHaveProperty("schema");
    expect(loose).toEqual({ type: "object", properties: { a: { type: "string" } } });
  });

  it.each<[string, JsonObject]>([
    ["the root is not an object", { type: "array", items: {} }],
    ["the root is not an object", object({}, { anyOf: [{}] })],
    ["the root allows additional properties", object({}, { additionalProperties: true })],
    ["a allows additional properties", object({ a: { type: "object", additionalProperties: { type: "string" } } })],
    ["a.anyOf[0] allows additional properties", object({ a: { anyOf: [object({}, { additionalProperties: {} })] } })],
    ["a uses prefixItems", object({ a: { type: "array", prefixItems: [] } })],
    ["a uses allOf", object({ a: { allOf: [] } })],
    ["a uses oneOf beside anyOf", object({ a: { oneOf: [], anyOf: [] } })],
    ["$defs.d uses not", object({}, { $defs: { d: { not: {} } } })],
    ["a is no schema", object({ a: true })],
    ["a names no properties", object({ a: { type: "object" } })],
    ["a has no properties", object({ a: { type: "object", properties: [] } })],
    ["a uses type beside $ref", object({ a: { $ref: "#", type: "object" } })],
    ["there are more than 5000 properties", object(many(5_001))],
    ["there are more than 5000 properties", object({ a: object(many(2_500)), b: object(many(2_499)) })],
    ["c is no schema", object({ a: object(many(2_500)), b: object(many(2_497)), c: true })],
    [`${"a.".repeat(10)}a is nested too deeply`, nested(11)],
    [`${"a.".repeat(10)}a is nested too deeply`, nested(50_000)],
    [`a${"[]".repeat(100)} is nested too deeply`, object({ a: lists(50_000) })],
  ])("is refused where it has no strict form: %s", (refused, schema) => {
    expect(toStrictSchema(schema)).toEqual({ refused });
  });
});
