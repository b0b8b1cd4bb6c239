import { describe, expect, expectTypeOf, test, vi } from "vitest";
import { z } from "zod";
import type { AgentInput } from "../message/build.js";
import { toMessages } from "../message/build.js";
import { checkPolicy, type ToolPolicy } from "./policy.js";
import { toJsonSchema } from "./schema.js";
import { type ToolOptions, tool } from "./tool.js";

const base = { name: "wipe", description: "Wipes a disk.", input: { type: "object" }, execute: () => 1 } as const;

/** Options as somebody writes them who has no compiler. */
function made(wrong: object): () => unknown {
  return () => tool({ ...base, ...wrong } as ToolOptions<{ readonly type: "object" }, number>);
}

describe("a policy that cannot be read", () => {
  test.each<[string, unknown]>([
    ["approval", true],
    ["approval", "Always"],
    ["approval", "required"],
    ["approval", null],
    ["effect", "harmless"],
    ["idempotent", "yes"],
    ["concurrencySafe", 1],
    ["timeoutMs", 0],
    ["timeoutMs", "5s"],
    ["maxResultChars", -1],
    ["artifactAboveChars", 1.5],
    ["permission", 7],
    ["retry", 3],
    ["retry.maxAttempts", 0],
    ["retry.initialDelayMs", Number.NaN],
    ["retry.jitter", "some"],
    ["retry.codes", "network"],
  ])("is a mistake of its tool, at once: %s of %j", (field, value) => {
    const [first = "", second] = field.split(".");
    const policy = { [first]: second === undefined ? value : { [second]: value } };
    expect(made({ policy })).toThrow(TypeError);
    expect(made({ policy })).toThrow(`tool "wipe": policy.${field}: `);
  });

  test.each([[null], ["always"], [true], [["always"]]])("is no object: %j", (policy) => {
    expect(made({ policy })).toThrow('tool "wipe": policy: an object is expected');
  });

  test("may not come later, and one that fails later harms nobody", () => {
    const later = Promise.reject(new Error("no table"));
    expect(() => checkPolicy(later, "wipe")).toThrow(/policy: it must be there at once/);
    expect(() => checkPolicy(undefined, "wipe")).toThrow(TypeError);
  });

  test("is not one that says all there is", () => {
    const policy = {
      effect: "destructive",
      idempotent: false,
      concurrencySafe: false,
      approval: "always",
      timeoutMs: 5,
      maxResultChars: 0,
      artifactAboveChars: 10,
      permission: "admin",
      retry: { maxAttempts: 2, initialDelayMs: 0, factor: 1.5, maxDelayMs: 1, maxRetryAfterMs: 1, jitter: "none" },
    };
    expect(checkPolicy(policy, "wipe")).toBe(policy);
    expect(checkPolicy({ approval: undefined, retry: { codes: ["network"] } }, "wipe")).toBeDefined();
  });
});

describe("a policy that depends on the arguments", () => {
  test("is not asked before there is a call", () => {
    const policy = vi.fn((): ToolPolicy => ({ approval: "always" }));
    const { spec, policyFor } = tool({ ...base, policy });
    expect(policy).not.toHaveBeenCalled();
    expect(spec).toMatchObject({ policy: {}, dynamicPolicy: true });
    expect(policyFor({})).toEqual({ approval: "always" });
  });

  test("knows their types from the schema", () => {
    const typed = tool({
      ...base,
      input: z.object({ path: z.string(), depth: z.string().transform(Number) }),
      policy: ({ path, depth }) => {
        expectTypeOf(path).toEqualTypeOf<string>();
        expectTypeOf(depth).toEqualTypeOf<string>();
        return { approval: path.startsWith("/etc") ? "always" : "never" };
      },
    });
    expect(typed.policyFor({ path: "/etc/passwd", depth: "1" })).toEqual({ approval: "always" });
  });
});

describe("a tool that cannot be made", () => {
  test("has no execute", () => {
    expect(made({ execute: undefined })).toThrow(new TypeError('tool "wipe": execute: a function is expected'));
  });

  test("has a bare object of schemas for input", () => {
    expect(made({ input: { city: z.string() } })).toThrow(TypeError);
    expect(made({ input: { city: z.string() } })).toThrow(/tool "wipe": input: .*wrap it: z\.object\(\{\.\.\.\}\)/);
  });

  test.each([["text"], [null], [[]], [z.object({})]])("has an inputSchema that is no JSON Schema", (inputSchema) => {
    expect(made({ inputSchema })).toThrow(
      new TypeError('tool "wipe": inputSchema: a JSON Schema, as plain data, is expected'),
    );
  });

  test("has a schema that no JSON Schema can say, unless that is given beside it", () => {
    const input = z.object({ day: z.date() });
    expect(made({ input })).toThrow(TypeError);
    expect(made({ input })).toThrow(/tool "wipe": input: this zod schema .*Date.*`inputSchema` of a tool/);
    expect(made({ output: z.date() })).toThrow(/tool "wipe": output: this zod schema/);
    expect(made({ input, inputSchema: { type: "object" } })).not.toThrow();
    expect(() => toJsonSchema(z.date(), "input", "createAgent: output")).toThrow(/^createAgent: output: this zod/);
  });
});

test("a list of messages inside an object is told where it goes", () => {
  const input = { messages: [{ role: "user", content: "Hello" }] } as unknown as AgentInput;
  expect(() => toMessages(input)).toThrow(
    new TypeError("input: a list of messages goes in directly, not as { messages }"),
  );
});

test("a misspelt rule of a policy is refused: nobody would obey it", () => {
  const misspelt = { approve: "always" } as never;
  expect(() =>
    tool({ name: "pay", description: "", input: { type: "object" }, policy: misspelt, execute: () => 1 }),
  ).toThrow(/"pay".*approve/);
});
