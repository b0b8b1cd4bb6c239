import type { JsonObject, JsonValue } from "@tinyagents/core";
import { describe, expect, it } from "vitest";
import { toStrictSchema } from "./strict-schema.js";

function object(properties: JsonObject, more: JsonObject = {}): JsonObject {
  return { type: "object", properties, required: Object.keys(properties), additionalProperties: false, ...more };
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
    ["a type", { type: "string", minLength: 1 }, { type: ["string", "null"], minLength: 1 }],
    ["several types", { type: ["string", "number"] }, { type: ["string", "number", "null"] }],
    ["a choice", { type: "string", enum: ["x"] }, { type: ["string", "null"], enum: ["x", null] }],
    ["a reference", { $ref: "#/$defs/d" }, { anyOf: [{ $ref: "#/$defs/d" }, { type: "null" }] }],
    ["one value", { type: "string", const: "x" }, { anyOf: [{ type: "string", const: "x" }, { type: "null" }] }],
    ["alternatives", { anyOf: [{ type: "string" }] }, { anyOf: [{ type: "string" }, { type: "null" }] }],
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
  ])("is refused where it has no strict form: %s", (refused, schema) => {
    expect(toStrictSchema(schema)).toEqual({ refused });
  });
});
