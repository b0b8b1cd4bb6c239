import { isTinyAgentsError, type JsonObject, type ModelWarning } from "@tinyagents/core";
import { describe, expect, it } from "vitest";
import { toOutputSchema } from "./output-schema.js";

function convert(schema: JsonObject): { readonly wire: JsonObject; readonly warnings: readonly ModelWarning[] } {
  const warnings: ModelWarning[] = [];
  return { wire: toOutputSchema(schema, warnings), warnings };
}

describe("a schema for the server to enforce", () => {
  it("is sent as it is when all of it can be enforced", () => {
    const schema = {
      type: "object",
      properties: {
        kind: { enum: ["a", "b"] },
        when: { type: "string", format: "date-time" },
        tags: { type: "array", items: { $ref: "#/$defs/tag" }, minItems: 1 },
        maybe: { anyOf: [{ type: "number" }, { type: "null" }] },
      },
      required: ["kind"],
      additionalProperties: false,
      $defs: { tag: { type: "string", description: "A tag." } },
    };
    expect(convert({ $schema: "https://json-schema.org/draft/2020-12/schema", ...schema })).toEqual({
      wire: schema,
      warnings: [],
    });
  });

  it("closes open objects, wherever they are, and says where (PA-23)", () => {
    const { wire, warnings } = convert({
      type: "object",
      properties: { list: { type: "array", items: { type: "object", additionalProperties: true } } },
    });
    expect(wire).toEqual({
      type: "object",
      properties: { list: { type: "array", items: { type: "object", additionalProperties: false } } },
      additionalProperties: false,
    });
    expect(warnings).toEqual([
      {
        code: "changed_setting",
        setting: "responseFormat.schema",
        message: "Not all of the schema can be enforced: list[]: open object, root: open object.",
      },
    ]);
  });

  it("puts what cannot be enforced into words that the model reads", () => {
    const { wire, warnings } = convert({
      type: "object",
      properties: {
        age: { type: "integer", minimum: 0, maximum: 150, description: "In years." },
        tags: { type: "array", items: { type: "string", pattern: "^a" }, minItems: 2 },
        id: { type: "string", format: "isbn" },
      },
      additionalProperties: false,
    });
    expect(wire.properties).toEqual({
      age: { type: "integer", description: "In years.\n\n{minimum: 0, maximum: 150}" },
      tags: { type: "array", items: { type: "string", description: '{pattern: "^a"}' }, description: "{minItems: 2}" },
      id: { type: "string", description: '{format: "isbn"}' },
    });
    expect(warnings[0]?.message).toContain("age: minimum, age: maximum, tags[]: pattern, tags: minItems, id: format");
  });

  it("names the first places of many, and counts the rest", () => {
    const properties = Object.fromEntries(["a", "b", "c", "d", "e", "f", "g"].map((one) => [one, { minimum: 1 }]));
    const { warnings } = convert({ type: "object", properties, additionalProperties: false });
    expect(warnings[0]?.message).toMatch(/e: minimum, and 2 more\.$/);
  });

  it("offers alternatives as the server knows them", () => {
    expect(convert({ oneOf: [{ type: "string" }, { type: "number", minimum: 1 }] }).wire).toEqual({
      anyOf: [{ type: "string" }, { type: "number", description: "{minimum: 1}" }],
    });
  });

  it("is not changed in place", () => {
    const schema = Object.freeze({ type: "object", properties: Object.freeze({ a: Object.freeze({ minimum: 1 }) }) });
    expect(convert(schema).wire).not.toEqual(schema);
  });

  it("that refers to itself is refused, with the place", () => {
    const tree = { type: "object", properties: { children: { type: "array", items: { $ref: "#/$defs/tree" } } } };
    for (const schema of [
      { $ref: "#/$defs/tree", $defs: { tree } },
      { type: "object", properties: { next: { $ref: "#" } } },
    ]) {
      expect(() => convert(schema)).toThrowError(
        expect.toSatisfy((error) => isTinyAgentsError(error, "invalid_request") && error.message.includes("#")),
      );
    }
    expect(() => convert({ anyOf: [{ $ref: "#/$defs/a" }, { $ref: "#/$defs/a" }], $defs: { a: {} } })).not.toThrow();
  });
});
