import { expect, it } from "vitest";
import { strictViolation } from "./strict-schema.js";

const object = (properties: object, more: object = {}) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
});

it("takes nested objects, lists, unions and definitions that are strict all the way down", () => {
  const schema = object(
    {
      list: { type: "array", items: object({ a: { type: "number" } }) },
      or: { anyOf: [{ type: "string" }, object({})] },
    },
    { $defs: { d: object({ x: { type: "null" } }) } },
  );
  expect(strictViolation(schema as never)).toBeUndefined();
});

it("names the place of the first thing that strict mode refuses (PA-23)", () => {
  const cases: [object, string][] = [
    [{ type: "array", items: {} }, "the root is not an object"],
    [object({}, { additionalProperties: true }), "the root allows additional properties"],
    [object({ a: { type: "string" } }, { required: [] }), "a is optional"],
    [object({ a: { type: "array", items: { type: "object" } } }), "a[] allows additional properties"],
    [object({ a: { anyOf: [{ type: "object" }] } }), "a.anyOf[0] allows additional properties"],
    [object({ a: { oneOf: [] } }), "a uses oneOf"],
    [object({}, { $defs: { d: { type: "object" } } }), "$defs.d allows additional properties"],
    [object({ a: true }), "a is no schema"],
  ];
  for (const [schema, violation] of cases) expect(strictViolation(schema as never)).toBe(violation);
});
