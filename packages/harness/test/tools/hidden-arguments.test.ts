import { toolText } from "@tinyagents/core";
import { fakeTool } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { failureOf } from "../support/failures.js";
import { call, calls, resultsOf, scriptedAgent } from "../support/tool-runs.js";

const schema = {
  type: "object",
  properties: { text: { type: "string" }, user: { type: "string" } },
  required: ["text", "user"],
  additionalProperties: false,
} as const;

const inputs = [
  ["zod", z.strictObject({ text: z.string(), user: z.string() })],
  ["zod that drops what it does not know", z.object({ text: z.string(), user: z.string() })],
  ["a JSON Schema", schema],
] as const;

function post(input: (typeof inputs)[number][1]) {
  return fakeTool({ name: "post", input, inject: { user: ({ data }) => (data as { user: string }).user } });
}

describe.each(inputs)("arguments that the runtime fills in, with %s", (_, input) => {
  test("are not in what the model sees (TOOL-06)", async () => {
    const { run, model } = scriptedAgent({ tools: [post(input)], script: ["done"] });
    await run();
    expect(JSON.stringify(model.requests[0]?.tools)).not.toContain("user");
    expect(model.requests[0]?.tools?.[0]?.inputSchema).toMatchObject({
      properties: { text: { type: "string" } },
      required: ["text"],
    });
  });

  test("reach the tool beside the model's (TOOL-06, TOOL-07)", async () => {
    const tool = post(input);
    const { run } = scriptedAgent({ tools: [tool], script: [calls(call("post", { text: "hi" })), "done"] });
    const finished = await run("Go.", { data: { user: "ada" } });
    expect(tool.calls.map(({ input }) => input)).toEqual([{ text: "hi", user: "ada" }]);
    expect(JSON.stringify(finished.messages)).not.toContain("ada");
  });

  test("are refused when the model gives them, whatever it gives (TOOL-06)", async () => {
    const tool = post(input);
    const { run } = scriptedAgent({
      tools: [tool],
      script: [calls(...["eve", "", null].map((user) => call("post", { text: "hi", user }))), "done"],
    });
    const results = resultsOf(await run("Go.", { data: { user: "ada" } }));
    expect(results.map(({ status }) => status)).toEqual(["invalid", "invalid", "invalid"]);
    for (const result of results) expect(toolText(result)).toContain("- user: must not be given");
    expect(tool.calls).toHaveLength(0);
  });

  test("do not excuse the others from their check, which comes before the tool (TOOL-12)", async () => {
    const tool = post(input);
    const { run } = scriptedAgent({ tools: [tool], script: [calls(call("post", { text: 5 }), "post"), "done"] });
    const results = resultsOf(await run("Go.", { data: { user: "ada" } }));
    expect(results.map(({ status }) => status)).toEqual(["invalid", "invalid"]);
    expect(tool.calls).toHaveLength(0);
  });
});

test("what only the complete arguments show to be wrong is told like any mistake (AL-04)", async () => {
  const input = z
    .object({ text: z.string(), user: z.string() })
    .refine(({ text, user }) => !text.includes(user), { message: "must not name the user", path: ["text"] });
  const tool = post(input as never);
  const { run } = scriptedAgent({ tools: [tool], script: [calls(call("post", { text: "hello ada" })), "done"] });
  const finished = await run("Go.", { data: { user: "ada" } });
  expect(resultsOf(finished)[0]?.status).toBe("invalid");
  expect(toolText(resultsOf(finished)[0] as never)).toContain("- text: must not name the user");
  expect(finished.counters.corrections).toBe(1);
  expect(tool.calls).toHaveLength(0);
});

test("what only the complete arguments show to be wrong ends the run where the policy is fail", async () => {
  const input = z.object({ text: z.string(), user: z.string() }).refine(() => false, "never");
  const { run } = scriptedAgent({
    tools: [post(input as never)],
    policies: { invalidArguments: { type: "fail" } },
    script: [calls(call("post", { text: "hello" }))],
  });
  const { error } = await failureOf(run("Go.", { data: { user: "ada" } }));
  expect(error.code).toBe("tool_arguments_invalid");
});

test("an injection that throws fails the call, not the run", async () => {
  const tool = fakeTool({
    name: "post",
    input: schema,
    inject: {
      user: () => {
        throw new Error("nobody is signed in");
      },
    },
  });
  const { run } = scriptedAgent({ tools: [tool], script: [calls(call("post", { text: "hi" })), "done"] });
  const [result] = resultsOf(await run());
  expect(result?.status).toBe("failed");
  expect(toolText(result as never)).toContain("nobody is signed in");
  expect(tool.calls).toHaveLength(0);
});

test("a tool cannot inject an argument that its schema does not have (TOOL-06)", () => {
  expect(() => fakeTool({ name: "post", input: { type: "object" }, inject: { user: () => "ada" } })).toThrow(
    expect.objectContaining({ code: "tool_schema_invalid" }),
  );
});
