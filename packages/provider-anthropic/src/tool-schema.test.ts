import { expect, it } from "vitest";
import { toToolSchema } from "./tool-schema.js";

const branch = (kind: string, required: string[], more = {}) => ({
  type: "object",
  properties: { kind: { const: kind }, ...more },
  required,
});

it("a schema with an object at its root is sent as it is", () => {
  const schema = { type: "object", properties: { a: { anyOf: [{ type: "string" }, { type: "null" }] } } };
  expect(toToolSchema(schema)).toEqual({ wire: schema, isChanged: false });
  expect(toToolSchema({ properties: {} }).wire).toEqual({ type: "object", properties: {} });
});

it("alternatives at the root are laid over each other, and only what all want is required", () => {
  for (const keyword of ["anyOf", "oneOf"]) {
    const schema = {
      $defs: { x: {} },
      [keyword]: [
        branch("a", ["kind", "size"], { size: { type: "number" } }),
        branch("b", ["kind"], { size: { type: "number" }, name: { type: "string" } }),
      ],
    };
    expect(toToolSchema(schema)).toEqual({
      wire: {
        $defs: { x: {} },
        type: "object",
        properties: {
          kind: { anyOf: [{ const: "a" }, { const: "b" }] },
          size: { type: "number" },
          name: { type: "string" },
        },
        required: ["kind"],
      },
      isChanged: true,
    });
  }
});

it("parts that all hold are put together", () => {
  const schema = { properties: { id: {} }, required: ["id"], allOf: [branch("a", ["kind"])] };
  expect(toToolSchema(schema).wire).toEqual({
    type: "object",
    properties: { kind: { const: "a" }, id: {} },
    required: ["id", "kind"],
  });
});
