import type { JsonObject, JsonValue } from "@tinyagents/core";
import { describe, expect, it } from "vitest";
import { readEvidence } from "../text/evidence.js";
import { fill, type Known } from "./fill.js";

function known(question: string, facts: { readonly [name: string]: JsonValue } = {}, answer = ""): Known {
  return { question, evidence: readEvidence(question), facts: new Map(Object.entries(facts)), answer };
}

function leastOf(schema: JsonObject, from: Known = known("")): JsonValue {
  return fill(schema, from).value;
}

describe("fill", () => {
  it.each<[JsonObject, JsonValue]>([
    [{ type: "string" }, "unknown"],
    [{ type: "string", minLength: 11, maxLength: 11 }, "unknown...."],
    [{ type: "string", maxLength: 0 }, ""],
    [{ type: "string", pattern: "^[A-Z]$" }, "A"],
    [{ type: "string", format: "date" }, "2000-01-01"],
    [{ type: "string", default: "x" }, "x"],
    [{ type: "integer", exclusiveMinimum: 3 }, 4],
    [{ type: "number", maximum: -2 }, -2],
    [{ type: "integer", minimum: 7, multipleOf: 5 }, 10],
    [{ type: "boolean" }, false],
    [{ type: "null" }, null],
    [{ type: ["null", "integer"] }, 0],
    [{ const: "fixed" }, "fixed"],
    [{ enum: [3, 4] }, 3],
    [{ type: "array", items: { type: "integer" }, minItems: 2 }, [0, 0]],
    [{ type: "array", prefixItems: [{ type: "string" }, { type: "boolean" }] }, ["unknown", false]],
    [{ anyOf: [{ type: "null" }, { type: "object", properties: { a: { const: 1 } }, required: ["a"] }] }, { a: 1 }],
    [
      {
        allOf: [
          { type: "object", properties: { a: { const: 1 } }, required: ["a"] },
          { properties: { b: { const: 2 } }, required: ["b"] },
        ],
      },
      { a: 1, b: 2 },
    ],
    [
      {
        $ref: "#/$defs/item",
        $defs: { item: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } },
      },
      { n: 0 },
    ],
  ])("gives the least that %j allows", (schema, value) => {
    expect(leastOf(schema)).toEqual(value);
  });

  it("ends for a schema that contains itself", () => {
    const tree = { type: "object", properties: { child: { $ref: "#" } }, required: ["child"] };
    expect(JSON.stringify(leastOf(tree)).length).toBeLessThan(500);
  });

  it("takes each piece of the question once, in its order", () => {
    const schema = {
      type: "object",
      properties: {
        from: { type: "string" },
        to: { type: "string" },
        seats: { type: "integer" },
        price: { type: "number" },
      },
      required: ["from", "to", "seats", "price"],
    };
    expect(leastOf(schema, known('Book "Oslo" and "Rome", 2 seats, at most 99.5'))).toEqual({
      from: "Oslo",
      to: "Rome",
      seats: 2,
      price: 99.5,
    });
  });

  it("gathers lists", () => {
    expect(leastOf({ type: "array", items: { type: "number" } }, known("Sort 3, 1 and 2"))).toEqual([3, 1, 2]);
  });

  it("finds addresses and dates by their kind", () => {
    const schema = {
      type: "object",
      properties: { email: { type: "string" }, url: { type: "string", format: "uri" }, date: { type: "string" } },
      required: ["email", "url", "date"],
    };
    expect(leastOf(schema, known("Send https://example.org/a to ann@example.org on 2024-05-01"))).toEqual({
      email: "ann@example.org",
      url: "https://example.org/a",
      date: "2024-05-01",
    });
  });

  it("chooses what the question names, in optional fields too", () => {
    const schema = {
      type: "object",
      properties: { unit: { enum: ["celsius", "fahrenheit"] }, size: { enum: ["big"] } },
    };
    expect(leastOf(schema, known("How warm is it in fahrenheit?"))).toEqual({ unit: "fahrenheit" });
  });

  it("prefers what tools returned, where it fits the schema", () => {
    const schema = {
      type: "object",
      properties: { n: { type: "integer", maximum: 5 }, m: { type: "integer" } },
      required: ["n", "m"],
    };
    expect(leastOf(schema, known("", { n: 9, m: 7 }))).toEqual({ n: 0, m: 7 });
  });

  it("puts the answer where prose is asked for, cut to its length", () => {
    const schema = {
      type: "object",
      properties: { summary: { type: "string", maxLength: 12 } },
      required: ["summary"],
    };
    expect(leastOf(schema, known("x", {}, "A long answer in words"))).toEqual({ summary: "A long …" });
  });

  it("counts what is known and what is made up", () => {
    const schema = {
      type: "object",
      properties: { a: { type: "number" }, b: { type: "number" } },
      required: ["a", "b"],
    };
    expect(fill(schema, known("7"))).toMatchObject({ known: 1, guessed: 1 });
  });

  it("makes no prototype of a field of that name (SE-04)", () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"object","properties":{}}},"required":["__proto__"]}',
    );
    const value = leastOf(schema);
    expect(Object.hasOwn(value as object, "__proto__")).toBe(true);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });
});
