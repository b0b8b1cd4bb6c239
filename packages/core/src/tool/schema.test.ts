import { describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import type { JsonObject } from "../json.js";
import { checkStandard, isStandardSchema, type SchemaOutput, type StandardSchema, toJsonSchema } from "./schema.js";

test("a Standard Schema is told by its validate function, be it an object or a function", () => {
  const callable = Object.assign(() => 1, { "~standard": { version: 1, vendor: "x", validate: () => ({ value: 1 }) } });
  expect([z.string(), callable].every(isStandardSchema)).toBe(true);
  expect(
    [{ type: "object" }, { "~standard": {} }, { "~standard": null }, null, undefined, "x", 1].some(isStandardSchema),
  ).toBe(false);
});

describe("checking with a Standard Schema", () => {
  test("gives the value that the schema gives, at once when the schema is synchronous", () => {
    expect(checkStandard(z.string().transform(Number), "3")).toEqual({ ok: true, value: 3 });
  });

  test("waits for a schema that takes time", async () => {
    const later = z.string().refine(async (value) => value === "yes");
    expect(await checkStandard(later, "yes")).toEqual({ ok: true, value: "yes" });
    expect(await checkStandard(later, "no")).toMatchObject({ ok: false });
  });

  test("waits for anything that has a then", async () => {
    const failing = { issues: [{ message: "no" }] };
    // biome-ignore lint/suspicious/noThenProperty: a promise of another library is what is tested
    const validate = () => ({ then: (done: (result: typeof failing) => unknown) => done(failing) }) as never;
    const checked = checkStandard({ "~standard": { version: 1, vendor: "x", validate } }, 1);
    expect(checked).toBeInstanceOf(Promise);
    expect(await checked).toEqual({ ok: false, issues: [{ message: "no", path: "" }] });
  });

  test("says where each issue is", () => {
    const schema = z.object({ items: z.array(z.object({ name: z.string() })) });
    expect(checkStandard(schema, { items: [{ name: "a" }, {}] })).toMatchObject({
      ok: false,
      issues: [{ path: "items[1].name", message: expect.any(String) }],
    });
    expect(checkStandard(z.array(z.number()), ["x"])).toMatchObject({ issues: [{ path: "[0]" }] });
    expect(checkStandard(z.number(), "x")).toMatchObject({ issues: [{ path: "" }] });
  });

  test("reads paths of every form", () => {
    const key = Symbol("s");
    const schema: StandardSchema = {
      "~standard": {
        version: 1,
        vendor: "x",
        validate: () => ({ issues: [{ message: "m", path: [{ key: "a" }, { key: 2 }, key] }, { message: "n" }] }),
      },
    };
    expect(checkStandard(schema, 1)).toEqual({
      ok: false,
      issues: [
        { message: "m", path: "a[2].Symbol(s)" },
        { message: "n", path: "" },
      ],
    });
  });
});

test("what a schema finds is bounded, and is text whatever the schema gives", async () => {
  const issues = [...Array(150)].map(() => ({ message: "x".repeat(10_000), path: ["y".repeat(10_000)] }));
  const standard = (found: unknown): StandardSchema =>
    ({ "~standard": { version: 1, vendor: "x", validate: () => ({ issues: found }) } }) as StandardSchema;
  const checked = await checkStandard(standard(issues), 1);
  if (checked.ok) throw new Error("it was accepted");
  expect(checked.issues).toHaveLength(100);
  expect(checked.issues[0]?.message).toHaveLength(500);
  expect(checked.issues[0]?.path).toHaveLength(500);
  expect(await checkStandard(standard([{ message: 7 }]), 1)).toEqual({
    ok: false,
    issues: [{ message: "does not fit", path: "" }],
  });
});

describe("JSON Schema of a schema", () => {
  const transformed = z.object({ day: z.string().transform(Number).pipe(z.number()) });

  test("is of the form that it takes, or that it gives, and names no dialect", () => {
    expect(toJsonSchema(transformed)).toMatchObject({ properties: { day: { type: "string" } } });
    expect(toJsonSchema(transformed, "output")).toMatchObject({ properties: { day: { type: "number" } } });
    expect(toJsonSchema(transformed)).not.toHaveProperty("$schema");
  });

  test("is a JSON Schema itself where one was given", () => {
    const schema = { type: "object" };
    expect(toJsonSchema(schema)).toBe(schema);
  });

  test("is asked for in draft 2020-12, and is a mistake where a schema cannot say it", () => {
    const asked: unknown[] = [];
    const standard = { version: 1, vendor: "x", validate: (value: unknown) => ({ value }) } as const;
    const jsonSchema = { input: (options: unknown) => ({ asked: asked.push(options) }), output: () => ({}) };
    expect(toJsonSchema({ "~standard": { ...standard, jsonSchema } } satisfies StandardSchema)).toEqual({ asked: 1 });
    expect(asked).toEqual([{ target: "draft-2020-12" }]);
    expect(() => toJsonSchema({ "~standard": standard } satisfies StandardSchema)).toThrow(/this x schema cannot/);
  });
});

test("what a schema validates to is known to the compiler (TY-03)", () => {
  const zod = z.object({ a: z.string().transform(Number), b: z.string().optional() });
  expectTypeOf<SchemaOutput<typeof zod>>().toEqualTypeOf<{ a: number; b?: string | undefined }>();
  expectTypeOf<SchemaOutput<StandardSchema<string, number>>>().toEqualTypeOf<number>();
  expectTypeOf<SchemaOutput<StandardSchema>>().toEqualTypeOf<unknown>();
  expectTypeOf<SchemaOutput<{ readonly type: "object" }>>().toEqualTypeOf<JsonObject>();
  expectTypeOf<SchemaOutput<JsonObject>>().toEqualTypeOf<JsonObject>();
  expect(isStandardSchema(zod)).toBe(true);
});
