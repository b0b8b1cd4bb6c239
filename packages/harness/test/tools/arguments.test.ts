import { type StandardSchema, tool, toolText } from "@tinyagents/core";
import { fakeTool } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { failureOf } from "../support/failures.js";
import { call, calls, resultsOf, scriptedAgent } from "../support/tool-runs.js";

const city = { type: "object", properties: { city: { type: "string" } }, required: ["city"] } as const;

describe("arguments that do not fit", () => {
  test.each([
    ["zod", z.object({ city: z.string() })],
    ["a JSON Schema", city],
  ])("never reach the tool, and the model is told the place and the reason: %s (TOOL-12, AL-04)", async (_, input) => {
    const weather = fakeTool({ name: "weather", input });
    const { run, events } = scriptedAgent({ tools: [weather], script: [calls(call("weather", { city: 7 })), "done"] });
    const [result] = resultsOf(await run());
    expect(weather.calls).toHaveLength(0);
    expect(result).toMatchObject({ toolCallId: "a", isError: true, status: "invalid" });
    expect(toolText(result as never)).toMatch(/weather was not run:\n- city: .*string/);
    expect(events.types()).not.toContain("tool.started");
    expect(events.ofType("tool.failed").map(({ data }) => data.status)).toEqual(["invalid"]);
  });

  test("leave the other calls of the turn alone (AL-04)", async () => {
    const weather = fakeTool({ name: "weather", input: z.object({ city: z.string() }) });
    const { run } = scriptedAgent({
      tools: [weather],
      script: [calls(call("weather", {}), call("weather", { city: "Oslo" }), call("weather", { city: null })), "done"],
    });
    expect(resultsOf(await run()).map(({ status }) => status)).toEqual(["invalid", "ok", "invalid"]);
    expect(weather.calls.map(({ input }) => input)).toEqual([{ city: "Oslo" }]);
  });

  test("end the run where the policy is fail, and nothing of the turn has run (TOOL-12)", async () => {
    const weather = fakeTool({ name: "weather", input: city });
    const { run } = scriptedAgent({
      tools: [weather],
      policies: { invalidArguments: { type: "fail" } },
      script: [calls(call("weather", { city: "Oslo" }), call("weather", { city: 1 }))],
    });
    const { error, run: partial } = await failureOf(run());
    expect(error).toMatchObject({
      code: "tool_arguments_invalid",
      details: { tool: "weather", issues: [{ path: "city" }] },
    });
    expect(weather.calls).toHaveLength(0);
    expect(resultsOf(partial).map(({ status }) => status)).toEqual(["not_run", "not_run"]);
  });

  test("are found by an async validator too (TOOL-12)", async () => {
    const input = z.object({ user: z.string().refine(async (name) => name !== "nobody", "there is no such user") });
    const greet = fakeTool({ name: "greet", input });
    const { run } = scriptedAgent({
      tools: [greet],
      script: [calls(call("greet", { user: "nobody" }), call("greet", { user: "ada" })), "done"],
    });
    const [first, second] = resultsOf(await run());
    expect(toolText(first as never)).toContain("- user: there is no such user");
    expect(second?.status).toBe("ok");
    expect(greet.calls.map(({ input }) => input)).toEqual([{ user: "ada" }]);
  });

  test("name the place deep inside as people write it (AL-04)", async () => {
    const input = z.object({ items: z.array(z.object({ size: z.number() })) });
    const { run } = scriptedAgent({
      tools: [fakeTool({ name: "pack", input })],
      script: [calls(call("pack", { items: [{ size: 1 }, { size: "big" }] })), "done"],
    });
    expect(toolText(resultsOf(await run())[0] as never)).toContain("- items[1].size: ");
  });
});

describe("what a tool is given", () => {
  test("is what its schema makes of the arguments, and the history keeps those of the model", async () => {
    const input = z.object({ at: z.string().transform((at) => new Date(at)), days: z.number().default(3) });
    let given: unknown;
    const plan = tool({
      name: "plan",
      description: "Plans.",
      input,
      execute: (args) => {
        given = args;
        return args.days;
      },
    });
    const { run } = scriptedAgent({ tools: [plan], script: [calls(call("plan", { at: "2024-02-29" })), "done"] });
    const { messages } = await run();
    expect(given).toEqual({ at: new Date("2024-02-29"), days: 3 });
    expect(messages[1]?.content).toEqual([{ type: "tool_call", id: "a", name: "plan", args: { at: "2024-02-29" } }]);
  });

  test("may come through a schema of any library that follows the standard", async () => {
    const even: StandardSchema<{ n: number }> = {
      "~standard": {
        version: 1,
        vendor: "tests",
        validate: (value) =>
          (value as { n?: unknown }).n === 2
            ? { value: { n: 2 } }
            : { issues: [{ message: "must be two", path: [{ key: "n" }] }] },
      },
    };
    const check = fakeTool({ name: "check", input: even, inputSchema: { type: "object" } });
    const { run } = scriptedAgent({
      tools: [check],
      script: [calls(call("check", { n: 3 }), call("check", { n: 2 })), "done"],
    });
    const [wrong, right] = resultsOf(await run());
    expect(toolText(wrong as never)).toContain("- n: must be two");
    expect(right?.status).toBe("ok");
  });

  test("is checked once per call when nothing is filled in", async () => {
    let checks = 0;
    const input = z.object({ n: z.number().refine(() => ++checks > 0) });
    const { run } = scriptedAgent({
      tools: [fakeTool({ name: "once", input })],
      script: [calls(call("once", { n: 1 })), "done"],
    });
    await run();
    expect(checks).toBe(1);
  });
});

describe("schemas that are wrong", () => {
  test("end the run with an error that names the tool, and nothing of the turn has run", async () => {
    const good = fakeTool({ name: "good" });
    const broken = fakeTool({
      name: "broken",
      input: { type: "object", properties: { a: { $ref: "#/$defs/nothing" } } },
    });
    const { run } = scriptedAgent({ tools: [good, broken], script: [calls("good", "broken")] });
    const { error } = await failureOf(run());
    expect(error).toMatchObject({ code: "tool_schema_invalid", details: { tool: "broken" } });
    expect(error.message).toContain('"broken"');
    expect(good.calls.length + broken.calls.length).toBe(0);
  });

  test("of results are told the same way", async () => {
    const broken = fakeTool({ name: "broken", output: { type: "strange" }, result: 1 });
    const { run } = scriptedAgent({ tools: [broken], script: [calls("broken")] });
    const { error } = await failureOf(run());
    expect(error).toMatchObject({ code: "tool_schema_invalid", details: { tool: "broken" } });
  });

  test("a validator of the application's is used in place of the platform's", async () => {
    const seen: unknown[] = [];
    const { run } = scriptedAgent({
      tools: [fakeTool({ name: "any", input: city })],
      schemaValidator: {
        compile: (schema) => (value) => {
          seen.push(schema, value);
          return [{ path: "city", message: "must be a capital" }];
        },
      },
      script: [calls(call("any", { city: "Bergen" })), "done"],
    });
    expect(toolText(resultsOf(await run())[0] as never)).toContain("- city: must be a capital");
    expect(seen).toEqual([city, { city: "Bergen" }]);
  });

  test("a check of the tool's own that throws fails the call, not the run", async () => {
    const input = z.object({ n: z.number() }).transform(() => {
      throw new Error("the table is missing");
    });
    const count = fakeTool({ name: "count", input, inputSchema: { type: "object" } });
    const sum = fakeTool({ name: "sum" });
    const { run, events } = scriptedAgent({
      tools: [count, sum],
      script: [calls(call("count", { n: 1 }), "sum"), "done"],
    });
    const finished = await run();
    expect(finished.text).toBe("done");
    expect(resultsOf(finished).map(({ status }) => status)).toEqual(["failed", "ok"]);
    expect(toolText(resultsOf(finished)[0] as never)).toContain("the table is missing");
    expect(count.calls).toHaveLength(0);
    expect(events.ofType("tool.failed")).toHaveLength(1);
  });

  test("an async check that rejects fails the call, not the run", async () => {
    const input: StandardSchema<{ n: number }> = {
      "~standard": { version: 1, vendor: "tests", validate: () => Promise.reject(new Error("the server is away")) },
    };
    const count = fakeTool({ name: "count", input, inputSchema: { type: "object" } });
    const { run } = scriptedAgent({ tools: [count], script: [calls(call("count", { n: 1 })), "done"] });
    expect(toolText(resultsOf(await run())[0] as never)).toContain("the server is away");
    expect(count.calls).toHaveLength(0);
  });
});
