import type { JsonSchema, SchemaValidator } from "@tinyagents/core";
import { describe, expect, test } from "vitest";
import { schemaValidator as ajvValidator } from "../../src/schema-validator-ajv.js";
import { schemaValidator as cfworkerValidator } from "../../src/schema-validator-cfworker.js";

interface Case {
  readonly about: string;
  readonly schema: JsonSchema;
  readonly fits: readonly unknown[];
  /** Values that do not fit, with the places of what is wrong. */
  readonly fails: readonly (readonly [value: unknown, ...paths: string[]])[];
}

const text = { type: "string" } as const;

const CASES: readonly Case[] = [
  {
    about: "required and typed properties",
    schema: { type: "object", properties: { city: text, days: { type: "integer" } }, required: ["city"] },
    fits: [{ city: "Oslo" }, { city: "Oslo", days: 3, more: true }],
    fails: [
      [{}, ""],
      [{ city: 1 }, "city"],
      [{ city: "Oslo", days: 1.5 }, "days"],
      [{ days: "x" }, "", "days"],
      [[], ""],
    ],
  },
  {
    about: "properties that nobody named",
    schema: { type: "object", properties: { city: text }, additionalProperties: false },
    fits: [{}, { city: "Oslo" }],
    fails: [
      [{ town: "Oslo" }, ""],
      [{ city: "Oslo", __proto: 1 }, ""],
    ],
  },
  {
    about: "lists of objects",
    schema: {
      type: "object",
      properties: {
        items: { type: "array", items: { type: "object", properties: { name: text }, required: ["name"] } },
      },
    },
    fits: [{ items: [] }, { items: [{ name: "a" }, { name: "b" }] }],
    fails: [[{ items: [{ name: "a" }, {}, { name: 3 }] }, "items[1]", "items[2].name"]],
  },
  {
    about: "names with every kind of character",
    schema: { type: "object", properties: { "a/b": text, "c~d": text, "50%": text, "ü é": text } },
    fits: [{ "a/b": "x", "c~d": "x", "50%": "x", "ü é": "x" }],
    fails: [[{ "a/b": 1, "c~d": 1, "50%": 1, "ü é": 1 }, "a/b", "c~d", "50%", "ü é"]],
  },
  {
    about: "choices",
    schema: { type: "object", properties: { unit: { enum: ["C", "F"] }, kind: { const: "now" } } },
    fits: [{ unit: "C", kind: "now" }],
    fails: [
      [{ unit: "K" }, "unit"],
      [{ kind: "then" }, "kind"],
    ],
  },
  {
    about: "ranges, lengths and patterns",
    schema: {
      type: "object",
      properties: {
        size: { type: "number", minimum: 1, exclusiveMaximum: 10 },
        code: { type: "string", pattern: "^[A-Z]{2}$" },
        tags: { type: "array", items: text, minItems: 1, uniqueItems: true },
      },
    },
    fits: [{ size: 9.5, code: "NO", tags: ["a"] }],
    fails: [
      [{ size: 10 }, "size"],
      [{ code: "no" }, "code"],
      [{ tags: [] }, "tags"],
      [{ tags: ["a", "a"] }, "tags"],
    ],
  },
  {
    about: "formats",
    schema: {
      type: "object",
      properties: { at: { type: "string", format: "date" }, to: { type: "string", format: "email" } },
    },
    fits: [{ at: "2024-02-29", to: "ada@example.com" }],
    fails: [
      [{ at: "2023-02-29" }, "at"],
      [{ to: "nobody" }, "to"],
    ],
  },
  {
    about: "definitions that refer to themselves",
    schema: {
      type: "object",
      properties: { root: { $ref: "#/$defs/node" } },
      $defs: {
        node: { type: "object", properties: { name: text, next: { $ref: "#/$defs/node" } }, required: ["name"] },
      },
    },
    fits: [{ root: { name: "a", next: { name: "b" } } }],
    fails: [[{ root: { name: "a", next: {} } }, "root.next"]],
  },
  {
    about: "keywords that nobody knows, and formats that nobody knows",
    schema: {
      type: "object",
      properties: { a: { type: "string", format: "colour", "x-label": "A" } },
      "x-owner": "me",
    },
    fits: [{ a: "red" }],
    fails: [[{ a: 1 }, "a"]],
  },
];

const BROKEN: readonly (readonly [about: string, schema: JsonSchema])[] = [
  ["a reference to nothing", { type: "object", properties: { a: { $ref: "#/$defs/nothing" } } }],
  ["a type that there is not", { type: "object", properties: { a: { type: "strin" } } }],
  ["a type that is no name", { type: 17 }],
  ["a pattern that is none", { type: "object", properties: { a: { type: "string", pattern: "[" } } }],
];

const VALIDATORS: readonly (readonly [name: string, create: () => SchemaValidator])[] = [
  ["ajv", ajvValidator],
  ["cfworker", cfworkerValidator],
];

describe.each(VALIDATORS)("JSON Schema by %s", (_, create) => {
  test.each(CASES)(
    "accepts what fits and names the place of what does not: $about (TOOL-12)",
    ({ schema, fits, fails }) => {
      const check = create().compile(schema);
      for (const value of fits) expect(check(value)).toEqual([]);
      for (const [value, ...paths] of fails) {
        const found = check(value);
        expect(new Set(found.map(({ path }) => path))).toEqual(new Set(paths));
        expect(found.every(({ message }) => message !== "")).toBe(true);
      }
    },
  );

  test("says which property is missing and which one is too many", () => {
    const check = create().compile({
      type: "object",
      properties: { a: text },
      required: ["a"],
      additionalProperties: false,
    });
    expect(check({ b: 1 })).toEqual([
      { path: "", message: 'must have a property "a"' },
      { path: "", message: 'has a property "b" that it must not have' },
    ]);
  });

  test("reports what no variant of a union takes", () => {
    const check = create().compile({ type: "object", properties: { a: { anyOf: [text, { type: "number" }] } } });
    expect(check({ a: "x" })).toEqual([]);
    expect(check({ a: true }).map(({ path }) => path)).toContain("a");
  });

  test.each(BROKEN)("refuses a schema with %s when it is compiled", (_about, schema) => {
    expect(() => create().compile(schema)).toThrow(TypeError);
  });

  test("compiles two schemas that share an $id", () => {
    const validator = create();
    const first = validator.compile({ $id: "https://example.com/place", type: "object", required: ["city"] });
    const second = validator.compile({ $id: "https://example.com/place", type: "object", required: ["town"] });
    expect(first({ city: 1 })).toEqual([]);
    expect(second({ city: 1 })).toHaveLength(1);
    expect(validator.compile({ $id: "https://example.com/place", type: "object" })({})).toEqual([]);
  });

  test("takes a frozen schema and leaves it as it is", () => {
    const schema = Object.freeze({
      type: "object",
      properties: Object.freeze({ a: Object.freeze({ type: "string" }) }),
    });
    expect(create().compile(schema)({ a: 1 })).toHaveLength(1);
    expect(Object.getOwnPropertyNames(schema)).toEqual(["type", "properties"]);
  });

  test("changes no value and no prototype (SE-04)", () => {
    const check = create().compile({ type: "object", properties: { a: { type: "number", default: 1 } } });
    const value = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}') as object;
    const before = JSON.stringify(value);
    check(value);
    expect(JSON.stringify(value)).toBe(before);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});
