import { tool, toolText } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { fakeTool, scriptedModel } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";
import { call, calls, resultsOf, scriptedAgent } from "../support/tool-runs.js";

const HOSTILE = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "valueOf"];

describe("names that objects know already", () => {
  test.each(HOSTILE)("a call for %s is a call for an unknown tool, and changes no prototype (SE-04)", async (name) => {
    const { run } = scriptedAgent({ tools: [fakeTool({ name: "search" })], script: [calls(name), "done"] });
    const [result] = resultsOf(await run());
    expect(result).toMatchObject({ name, status: "unknown_tool" });
    expect(Object.getOwnPropertyNames(Object.prototype)).not.toContain("polluted");
  });

  test.each(["constructor", "prototype", "toString"])(
    "a tool may be named %s, and is called by it (SE-04)",
    async (name) => {
      const odd = fakeTool({ name, result: "here" });
      const { run } = scriptedAgent({ tools: [odd], script: [calls(name), "done"] });
      expect(toolText(resultsOf(await run())[0] as never)).toBe("here");
      expect(odd.calls).toHaveLength(1);
    },
  );

  test("a tool cannot be named __proto__ (SE-04, TOOL-02)", () => {
    expect(() => fakeTool({ name: "__proto__" })).toThrow(expect.objectContaining({ code: "tool_schema_invalid" }));
  });

  test.each([
    '{"__proto__":{"polluted":1}}',
    '{"a":{"__proto__":{"polluted":1}}}',
    '{"constructor":{"prototype":{"polluted":1}}}',
    '{"\\u005f_proto__":{"polluted":1}}',
  ])("arguments %s are refused before the tool sees them (SE-04)", async (rawArgs) => {
    const search = fakeTool({ name: "search" });
    const { run } = scriptedAgent({ tools: [search], script: [calls({ name: "search", rawArgs }), "done"] });
    expect(resultsOf(await run())[0]?.status).toBe("invalid");
    expect(search.calls).toHaveLength(0);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  test("a call id that objects know already gets its own result (SE-04)", async () => {
    const { run } = scriptedAgent({
      tools: [fakeTool({ name: "echo", execute: (_, { callId }) => callId })],
      script: [{ toolCalls: [call("echo", {}, "__proto__"), call("echo", {}, "constructor")] }, "done"],
    });
    const results = resultsOf(await run());
    expect(results.map(({ toolCallId }) => toolCallId)).toEqual(["__proto__", "constructor"]);
    expect(results.map(toolText)).toEqual(["__proto__", "constructor"]);
  });
});

describe("lists of tools", () => {
  test("refuse a name twice (TOOL-02)", () => {
    const twice = [fakeTool({ name: "search" }), fakeTool({ name: "search" })];
    expect(() => createAgent({ name: "a", model: scriptedModel([]), tools: twice })).toThrow(
      expect.objectContaining({ code: "tool_schema_invalid", message: expect.stringContaining('"search"') }),
    );
  });

  test.each(["", "1st", "two words", "ümlaut", "a".repeat(65)])("refuse the name %j (TOOL-02)", (name) => {
    expect(() => tool({ name, description: "", input: { type: "object" }, execute: () => 1 })).toThrow(
      expect.objectContaining({ code: "tool_schema_invalid" }),
    );
  });

  test("are offered in their order, with name, description and schema alone (TOOL-03)", async () => {
    const b = fakeTool({
      name: "b",
      description: "Bees.",
      input: { type: "object" },
      label: "B",
      extensions: { ui: { icon: "b" } },
    });
    const { run, model } = scriptedAgent({
      tools: [b, fakeTool({ name: "a", description: "Ays." })],
      script: ["done"],
    });
    await run();
    expect(model.requests[0]?.tools).toEqual([
      { name: "b", description: "Bees.", inputSchema: { type: "object" } },
      { name: "a", description: "Ays.", inputSchema: { type: "object" } },
    ]);
  });
});
