import { describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { thrownBy } from "../../test/support.js";
import { isTinyAgentsError, TinyAgentsError } from "../errors.js";
import type { JsonObject } from "../json.js";
import { content } from "./outcome.js";
import type { ToolRuntime } from "./runtime.js";
import type { StandardSchema } from "./schema.js";
import { toolDeclaration } from "./spec.js";
import { type AnyTool, type Tool, tool, toolError, toolsByName } from "./tool.js";

const description = "Adds two numbers.";
const jsonSchema = { type: "object", properties: { a: { type: "number" } }, required: ["a"] } as const;
const runtime = { callId: "c1" } as ToolRuntime;

function named(name: string): AnyTool {
  return tool({ name, description, input: jsonSchema, execute: () => 1 });
}

/** A Standard Schema as somebody might write one by hand: no JSON Schema, and it answers later. */
const handMade: StandardSchema<{ a: string }, { a: number }> = {
  "~standard": {
    version: 1,
    vendor: "by-hand",
    validate: async (value) => {
      const a = Number((value as { a?: unknown }).a);
      return Number.isNaN(a)
        ? { issues: [{ message: "a number is expected", path: ["a", { key: 0 }, "b"] }] }
        : { value: { a } };
    },
  },
};

describe("the name of a tool (TOOL-02)", () => {
  test.each([["add"], ["A"], ["get_weather-2"], ["a".repeat(64)]])("may be %s", (name) => {
    expect(named(name).spec.name).toBe(name);
  });

  test.each([[""], ["1st"], ["_a"], ["with space"], ["dotted.name"], ["ünïcode"], ["a\n"], ["a".repeat(65)]])(
    "may not be %j",
    async (name) => {
      expect(await thrownBy(() => named(name))).toMatchObject({
        code: "tool_schema_invalid",
        details: { tool: name, reason: expect.stringContaining("name must match") },
      });
    },
  );

  test("stands once in a list of tools", async () => {
    const tools = [named("a"), named("b")];
    const byName = toolsByName(tools);
    expect([...byName.keys()]).toEqual(["a", "b"]);
    expect(byName.get("b")).toBe(tools[1]);
    expect(await thrownBy(() => toolsByName([...tools, named("a")]))).toMatchObject({
      code: "tool_schema_invalid",
      details: { tool: "a", reason: "another tool has the same name" },
    });
  });
});

describe("the input of a tool", () => {
  test("is typed by a zod schema: what it gives, not what it takes (TY-03)", async () => {
    const input = z.object({
      day: z.string().transform(Number),
      tags: z.array(z.string()).default([]),
      note: z.string().optional(),
    });
    const made = tool({
      name: "plan",
      description,
      input,
      execute: (args, given) => {
        expectTypeOf(args).toEqualTypeOf<{ day: number; tags: string[]; note?: string | undefined }>();
        expectTypeOf(given).toEqualTypeOf<ToolRuntime>();
        return args.day + args.tags.length;
      },
    });
    expectTypeOf(made).toEqualTypeOf<Tool<{ day: number; tags: string[]; note?: string | undefined }, number>>();
    expect(await made.check?.({ day: "3" })).toEqual({ ok: true, value: { day: 3, tags: [] } });
    expect(made.execute({ day: 3, tags: ["a"] }, runtime)).toBe(4);
    expect(made.spec.inputSchema).toMatchObject({
      type: "object",
      properties: { day: { type: "string" } },
      required: ["day"],
    });
    expect(made.spec.inputSchema).not.toHaveProperty("$schema");
  });

  test("is a JSON object for the compiler where the schema is JSON Schema", () => {
    const made = tool({
      name: "add",
      description,
      input: { type: "object", properties: { a: { type: "number" } }, required: ["a"] },
      execute: (args) => {
        expectTypeOf(args).toEqualTypeOf<JsonObject>();
        return args.a;
      },
    });
    expect(made.check).toBeUndefined();
    expect(made.execute({ a: 1 }, runtime)).toBe(1);
    expect(made.spec.inputSchema).toEqual({ type: "object", properties: { a: { type: "number" } }, required: ["a"] });
  });

  test("is checked by a hand-made Standard Schema, later where it takes time, with paths that read well", async () => {
    const made = tool({
      name: "add",
      description,
      input: handMade,
      inputSchema: jsonSchema,
      execute: (args) => {
        expectTypeOf(args).toEqualTypeOf<{ a: number }>();
        return args.a;
      },
    });
    expect(made.spec.inputSchema).toBe(jsonSchema);
    expect(await made.check?.({ a: "2" })).toEqual({ ok: true, value: { a: 2 } });
    expect(await made.check?.({ a: "x" })).toEqual({
      ok: false,
      issues: [{ path: "a[0].b", message: "a number is expected" }],
    });
  });

  test("must be described to the model: a schema that cannot say it needs JSON Schema beside it", () => {
    const options = { name: "add", description, input: handMade, execute: () => 1 };
    expect(() => tool(options)).toThrow(TypeError);
    expect(() => tool(options)).toThrow(/by-hand.*JSON Schema beside it/s);
  });

  test.each([[{ type: "string" }], [{ type: ["object", "null"] }], [[]], [null], ["text"]])(
    "must be an object: %j is refused",
    async (input) => {
      const made = () => tool({ name: "add", description, input: input as unknown as JsonObject, execute: () => 1 });
      expect(await thrownBy(made)).toMatchObject({
        code: "tool_schema_invalid",
        details: { tool: "add", reason: "its input schema must describe an object" },
      });
    },
  );

  test("may leave its type unsaid", () => {
    expect(tool({ name: "any", description, input: {}, execute: () => 1 }).spec.inputSchema).toEqual({});
  });
});

describe("arguments that the runtime fills in (TOOL-06)", () => {
  const input = z.object({ path: z.string(), userId: z.string(), tenant: z.string() });
  const made = tool({
    name: "read_file",
    description,
    input,
    inject: { userId: ({ callId }) => `user of ${callId}`, tenant: () => "acme" },
    execute: (args) => args.userId,
  });

  test("are taken out of what the model sees", () => {
    expect(made.spec.inputSchema).toMatchObject({ properties: { path: { type: "string" } }, required: ["path"] });
    expect(JSON.stringify(toolDeclaration(made.spec))).not.toMatch(/userId|tenant/);
    expect(made.spec.hiddenArgs).toEqual(["userId", "tenant"]);
  });

  test("are made from the runtime of each call", () => {
    expect(made.inject(runtime)).toEqual({ userId: "user of c1", tenant: "acme" });
    expect(named("plain").inject(runtime)).toBeUndefined();
  });

  test("must be in the schema", async () => {
    const wrong = () =>
      tool({ name: "add", description, input: jsonSchema, inject: { toString: () => 1 }, execute: () => 1 });
    expect(await thrownBy(wrong)).toMatchObject({
      code: "tool_schema_invalid",
      details: { reason: expect.stringContaining('"toString"') },
    });
    const empty = () => tool({ name: "add", description, input: {}, inject: { a: () => 1 }, execute: () => 1 });
    expect(await thrownBy(empty)).toMatchObject({ code: "tool_schema_invalid" });
  });

  test("leave the rest of the schema alone, and the schema that was given", () => {
    const schema = { ...jsonSchema, additionalProperties: false, title: "t" };
    const hidden = tool({ name: "add", description, input: schema, inject: { a: () => 1 }, execute: () => 1 });
    expect(hidden.spec.inputSchema).toEqual({
      type: "object",
      properties: {},
      required: [],
      additionalProperties: false,
      title: "t",
    });
    expect(schema.properties).toEqual({ a: { type: "number" } });
    const loose = { type: "object", properties: { a: {}, b: {} } } as const;
    const optional = tool({ name: "add", description, input: loose, inject: { a: () => 1 }, execute: () => 1 });
    expect(optional.spec.inputSchema).toStrictEqual({ type: "object", properties: { b: {} } });
  });
});

describe("what is known of a tool before it runs", () => {
  test("is only what was said", () => {
    expect(named("add").spec).toStrictEqual({
      name: "add",
      description,
      inputSchema: jsonSchema,
      hiddenArgs: [],
      policy: {},
      dynamicPolicy: false,
    });
  });

  test("is data that middleware can read (TOOL-04)", () => {
    const { spec } = tool({
      name: "add",
      description,
      input: jsonSchema,
      output: z.object({ sum: z.string().transform(Number) }).pipe(z.object({ sum: z.number() })),
      policy: { effect: "write", approval: "always" },
      label: "Add",
      markdown: true,
      extensions: { mine: { a: 1 } },
      execute: () => ({ sum: "1" }),
    });
    expect(JSON.parse(JSON.stringify(spec))).toEqual(spec);
    expect(spec).toMatchObject({
      policy: { effect: "write", approval: "always" },
      label: "Add",
      markdown: true,
      extensions: { mine: { a: 1 } },
      outputSchema: { properties: { sum: { type: "number" } } },
    });
    expect(toolDeclaration(spec)).toEqual({ name: "add", description, inputSchema: jsonSchema });
  });

  test("may depend on the arguments, and then says so (TOOL-14)", () => {
    const { spec, policyFor } = tool({
      name: "shell",
      description,
      input: jsonSchema,
      policy: (args) => ({ effect: args.a === 1 ? "read" : "destructive" }),
      execute: () => 1,
    });
    expect([spec.policy, spec.dynamicPolicy]).toEqual([{}, true]);
    expect(policyFor({ a: 1 })).toEqual({ effect: "read" });
    expect(named("add").policyFor({ a: 1 })).toEqual({});
  });

  test("includes a check of what it returns, where its schema can check (TOOL-03)", async () => {
    const checked = tool({ name: "a", description, input: jsonSchema, output: z.number(), execute: () => "x" });
    expect(await checked.checkOutput?.("x")).toMatchObject({ ok: false, issues: [{ path: "" }] });
    expect(await checked.checkOutput?.(1)).toEqual({ ok: true, value: 1 });
    const described = tool({
      name: "a",
      description,
      input: jsonSchema,
      output: { type: "number" },
      execute: () => "x",
    });
    expect([described.checkOutput, described.spec.outputSchema]).toEqual([undefined, { type: "number" }]);
    expect(named("a").checkOutput).toBeUndefined();
  });
});

describe("the types of tools", () => {
  test("keep what `execute` gives, and every tool goes into a list", () => {
    const later = tool({ name: "later", description, input: z.object({}), execute: async () => ({ a: 1 }) });
    expectTypeOf(later).toEqualTypeOf<Tool<Record<string, never>, Promise<{ a: number }>>>();
    const blocks = tool({
      name: "blocks",
      description,
      input: z.object({ a: z.number() }),
      execute: () => content("x"),
    });
    const progress = tool({
      name: "progress",
      description,
      input: jsonSchema,
      async *execute() {
        yield "half";
        return 1;
      },
    });
    const list: readonly AnyTool[] = [later, blocks, progress];
    expect(toolsByName(list).size).toBe(3);
  });

  test("hold for every combination of options that are there or not (TY-03)", () => {
    const input = z.object({ a: z.number() });
    type Expected = Tool<{ a: number }, string>;
    const execute = ({ a }: { a: number }): string => String(a);
    const base = { name: "t", description, input, execute };
    expectTypeOf(tool(base)).toEqualTypeOf<Expected>();
    expectTypeOf(tool({ ...base, output: undefined, policy: undefined, inject: undefined })).toEqualTypeOf<Expected>();
    expectTypeOf(tool({ ...base, output: z.string() })).toEqualTypeOf<Expected>();
    expectTypeOf(tool({ ...base, output: { type: "string" } })).toEqualTypeOf<Expected>();
    expectTypeOf(tool({ ...base, policy: { effect: "none" } })).toEqualTypeOf<Expected>();
    expectTypeOf(tool({ ...base, policy: () => ({}) })).toEqualTypeOf<Expected>();
    expectTypeOf(tool({ ...base, inject: { a: () => 1 }, label: "x" })).toEqualTypeOf<Expected>();
    expectTypeOf(
      tool({ ...base, output: z.string(), policy: {}, inject: {}, extensions: {} }),
    ).toEqualTypeOf<Expected>();
    expect(tool(base).execute({ a: 1 }, runtime)).toBe("1");
  });

  test("refuse an `execute` that wants something else than the schema gives", () => {
    const input = z.object({ a: z.number() });
    // @ts-expect-error: the schema gives a number.
    expect(tool({ name: "t", description, input, execute: (args: { a: string }) => args.a }).spec.name).toBe("t");
  });
});

describe("the error of a tool that failed", () => {
  test("says what the tool said, and keeps it as cause", () => {
    const cause = new Error("no such file");
    expect(toolError("read_file", "c1", cause)).toMatchObject({
      code: "tool_failed",
      message: "The tool read_file failed: no such file",
      details: { tool: "read_file", callId: "c1" },
      cause,
    });
    expect(toolError("t", "c", "plain").message).toBe("The tool t failed: plain");
    expect(isTinyAgentsError(toolError("t", "c", Object.create(null)), "tool_failed")).toBe(true);
  });

  test("is worth a repeat only when whoever runs the tool says so", () => {
    expect(toolError("t", "c", "plain").retryable).toBe(false);
    expect(toolError("t", "c", "plain", { retryable: true }).retryable).toBe(true);
  });

  test("is an error of ours itself where the tool threw one", () => {
    const error = new TinyAgentsError("conflict", "x", { details: { resource: "r", expected: 1, found: 2 } });
    expect(toolError("t", "c", error)).toBe(error);
  });
});
