import { toolCalls, toolText } from "@tinyagents/core";
import { fakeTool } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { failureOf } from "../support/failures.js";
import { call, calls, resultsOf, scriptedAgent } from "../support/tool-runs.js";

const search = () => fakeTool({ name: "search", input: z.object({ q: z.string() }) });

describe("a call for a tool that there is not", () => {
  test("is answered with the list of tools, and the other calls of the turn run (AL-03, TOOL-15)", async () => {
    const known = search();
    const { run, model } = scriptedAgent({
      tools: [known, fakeTool({ name: "read" })],
      script: [calls(call("google", { q: "x" }), call("search", { q: "y" })), "done"],
    });
    const finished = await run();
    const [unknown, ok] = resultsOf(finished);
    expect(finished.text).toBe("done");
    expect(unknown).toMatchObject({ toolCallId: "a", status: "unknown_tool", isError: true });
    expect(toolText(unknown as never)).toBe('There is no tool "google". The tools are: search, read.');
    expect(ok?.status).toBe("ok");
    expect(known.calls).toHaveLength(1);
    expect(model.requests[0]?.tools?.map(({ name }) => name)).toEqual(["search", "read"]);
  });

  test("is answered in the application's words where it has some (TOOL-15)", async () => {
    const { run } = scriptedAgent({
      policies: { unknownTool: { type: "return_error", message: "Ask the office." } },
      script: [calls("google"), "done"],
    });
    expect(toolText(resultsOf(await run())[0] as never)).toBe("Ask the office.");
  });

  test("says so when there are no tools at all", async () => {
    const { run } = scriptedAgent({ script: [calls("google"), "done"] });
    expect(toolText(resultsOf(await run())[0] as never)).toContain("There are no tools.");
  });

  test("ends the run where the policy is fail, and nothing of the turn has run (TOOL-15)", async () => {
    const known = search();
    const { run } = scriptedAgent({
      tools: [known],
      policies: { unknownTool: { type: "fail" } },
      script: [calls(call("search", { q: "y" }), "google")],
    });
    const { error, run: partial } = await failureOf(run());
    expect(error).toMatchObject({ code: "tool_not_found", details: { tool: "google", available: ["search"] } });
    expect(known.calls).toHaveLength(0);
    expect(resultsOf(partial).map(({ status }) => status)).toEqual(["not_run", "not_run"]);
  });

  test("runs the named tool where the policy is rewrite, with its checks, and costs no correction (TOOL-15)", async () => {
    const known = search();
    const { run } = scriptedAgent({
      tools: [known],
      policies: { unknownTool: { type: "rewrite", tool: "search" } },
      script: [calls(call("google", { q: "x" }), call("google", { query: "x" })), "done"],
    });
    const finished = await run();
    expect(known.calls.map(({ input }) => input)).toEqual([{ q: "x" }]);
    expect(resultsOf(finished).map(({ status, name }) => [status, name])).toEqual([
      ["ok", "search"],
      ["invalid", "search"],
    ]);
    expect(toolText(resultsOf(finished)[1] as never)).toContain("search was not run");
    expect(finished.counters.corrections).toBe(1);
    expect(finished.messages.flatMap(toolCalls).map(({ name }) => name)).toEqual(["google", "google"]);
  });

  test("cannot be rewritten to a tool that there is not: the agent is refused", () => {
    expect(() =>
      scriptedAgent({ script: [], policies: { unknownTool: { type: "rewrite", tool: "nowhere" } } }),
    ).toThrow(TypeError);
  });

  test("can be mended by middleware that edits the answer (TOOL-15)", async () => {
    const known = search();
    const { run, events } = scriptedAgent({
      tools: [known],
      middleware: [
        {
          name: "mend",
          afterModel: (response) => ({
            replace: {
              ...response,
              message: {
                ...response.message,
                content: response.message.content.map((block) =>
                  block.type === "tool_call" ? { ...block, name: block.name.toLowerCase() } : block,
                ),
              },
            },
          }),
        },
      ],
      script: [calls(call("SEARCH", { q: "x" })), "done"],
    });
    await run();
    expect(known.calls).toHaveLength(1);
    expect(events.ofType("tool.unknown")).toHaveLength(0);
  });

  test("counts as a tool call (LIM-02)", async () => {
    const { run } = scriptedAgent({ script: [calls("a", "b"), "done"] });
    expect((await run()).counters.toolCalls).toBe(2);
  });
});

describe("what is noted of it", () => {
  test("the name and the arguments that were asked for, and what was done about it (TOOL-16)", async () => {
    const { run, events } = scriptedAgent({ script: [calls(call("google", { q: "x" })), "done"] });
    await run();
    expect(events.ofType("tool.unknown").map(({ data }) => data)).toEqual([
      { callId: "a", tool: "google", recovery: "return_error", payload: { args: { q: "x" } } },
    ]);
    const types = events.types();
    expect(types.indexOf("tool.unknown")).toBeLessThan(types.indexOf("tool.failed"));
  });

  test("a rewrite names the tool that ran in its place (TOOL-16)", async () => {
    const { run, events } = scriptedAgent({
      tools: [search()],
      policies: { unknownTool: { type: "rewrite", tool: "search" } },
      script: [calls(call("google", { q: "x" })), "done"],
    });
    await run();
    expect(events.ofType("tool.unknown").map(({ data }) => [data.tool, data.recovery])).toEqual([
      ["google", "rewrite: search"],
    ]);
    expect(events.ofType("tool.failed")).toHaveLength(0);
    expect(events.ofType("tool.completed").map(({ data }) => data.tool)).toEqual(["search"]);
  });

  test("a run below another has its own policy (TOOL-15)", async () => {
    const child = scriptedAgent({
      name: "child",
      policies: { unknownTool: { type: "return_error", message: "The child has no such tool." } },
      script: [calls("google"), "child done"],
    });
    const parent = scriptedAgent({
      tools: [child.agent.asTool({ description: "The child." })],
      script: [calls("google", call("child", { task: "go" })), "done"],
    });
    const finished = await parent.run();
    expect(toolText(resultsOf(finished)[0] as never)).toContain("The tools are: child.");
    expect(resultsOf({ messages: child.model.requests[1]?.messages ?? [] }).map(toolText)).toEqual([
      "The child has no such tool.",
    ]);
  });
});
