import { checkHistory, type Middleware, type ModelRequest, toolText } from "@tinyagents/core";
import { fakeTool } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";
import { failureOf } from "../support/failures.js";
import { calls, resultsOf, scriptedAgent, stored } from "../support/tool-runs.js";

/** A request without one of its tools. */
function without(request: ModelRequest, hidden: string): ModelRequest {
  return { ...request, tools: request.tools?.filter(({ name }) => name !== hidden) ?? [] };
}

/** Middleware that keeps a tool from the model, with a hook or with a wrap. */
const HIDING: readonly (readonly [string, (hidden: string) => Middleware])[] = [
  ["a hook", (hidden) => ({ name: "hide", beforeModel: (request) => ({ replace: without(request, hidden) }) })],
  [
    "a wrap",
    (hidden) => ({
      name: "hide",
      async *wrapModel(request, _, next) {
        yield* next(without(request, hidden));
      },
    }),
  ],
];

describe.each(HIDING)("a call for a tool that %s kept from the model", (_, hide) => {
  test("is a call for a tool that is not offered, and the model is not told of it (TOOL-15)", async () => {
    const wipe = fakeTool({ name: "wipe" });
    const look = fakeTool({ name: "look" });
    const { run, events } = scriptedAgent({
      tools: [wipe, look],
      middleware: [hide("wipe")],
      script: [calls("wipe", "look"), "done"],
    });
    const finished = await run();
    expect(resultsOf(finished).map(({ status }) => status)).toEqual(["unknown_tool", "ok"]);
    expect(toolText(resultsOf(finished)[0] as never)).toBe('There is no tool "wipe". The tools are: look.');
    expect(wipe.calls).toHaveLength(0);
    expect(events.ofType("tool.unknown").map(({ data }) => data.tool)).toEqual(["wipe"]);
    expect(finished.state.lastResponse?.offered).toEqual(["look"]);
  });

  test("ends the run where the policy is fail, which tells what was offered (TOOL-15)", async () => {
    const { run } = scriptedAgent({
      tools: [fakeTool({ name: "wipe" }), fakeTool({ name: "look" })],
      middleware: [hide("wipe")],
      policies: { unknownTool: { type: "fail" } },
      script: [calls("wipe")],
    });
    const { error } = await failureOf(run());
    expect(error).toMatchObject({ code: "tool_not_found", details: { tool: "wipe", available: ["look"] } });
  });

  test("is rewritten where the policy says so, also to a tool that was kept back (TOOL-15)", async () => {
    const look = fakeTool({ name: "look" });
    const { run } = scriptedAgent({
      tools: [fakeTool({ name: "wipe" }), look],
      middleware: [hide("wipe"), { ...hide("look"), name: "hide too" }],
      policies: { unknownTool: { type: "rewrite", tool: "look" } },
      script: [calls("wipe"), "done"],
    });
    expect(resultsOf(await run())[0]).toMatchObject({ status: "ok", name: "look" });
    expect(look.calls).toHaveLength(1);
  });

  test("stays one when the run goes on in another process (TOOL-15)", async () => {
    const wipe = fakeTool({ name: "wipe" });
    const { agent } = scriptedAgent({ tools: [wipe], middleware: [hide("wipe")], script: [calls("wipe"), "done"] });
    let state = agent.initialState("Go.");
    while (state.phase !== "done") state = await agent.step(stored(state));
    expect(resultsOf(state).map(({ status }) => status)).toEqual(["unknown_tool"]);
    expect(wipe.calls).toHaveLength(0);
  });

  test("cannot be approved: nobody is asked, and nothing runs (TOOL-15)", async () => {
    const wipe = fakeTool({ name: "wipe", policy: { effect: "destructive", approval: "always" } });
    const { run } = scriptedAgent({
      tools: [wipe],
      approver: { decide: () => "ask" },
      middleware: [hide("wipe")],
      script: [calls("wipe"), "done"],
    });
    expect((await run()).status).toBe("completed");
    expect(wipe.calls).toHaveLength(0);
  });
});

describe("what is offered", () => {
  test("is not noted while it is the agent's own tools", async () => {
    const change: Middleware = {
      name: "cooler",
      beforeModel: (request) => ({ replace: { ...request, temperature: 0 } }),
    };
    const { run } = scriptedAgent({
      tools: [fakeTool({ name: "look" })],
      middleware: [change],
      script: [calls("look"), "done"],
    });
    const finished = await run();
    expect(resultsOf(finished)[0]?.status).toBe("ok");
    expect(finished.state.lastResponse).not.toHaveProperty("offered");
  });

  test("is said anew with each answer: a tool may be kept back once and given the next time (TOOL-15)", async () => {
    const look = fakeTool({ name: "look" });
    const once: Middleware = {
      name: "once",
      beforeModel: (request, { counters }) =>
        counters.modelCalls === 0 ? { replace: without(request, "look") } : undefined,
    };
    const { run } = scriptedAgent({
      tools: [look],
      middleware: [once],
      script: [calls("look"), calls("look"), "done"],
    });
    const finished = await run();
    expect(resultsOf(finished).map(({ status }) => status)).toEqual(["unknown_tool", "ok"]);
    expect(checkHistory(finished.messages)).toEqual([]);
  });

  test("binds the model, not the hooks: one that changes a call may choose any tool of the agent", async () => {
    const inner = fakeTool({ name: "inner" });
    const { run } = scriptedAgent({
      tools: [fakeTool({ name: "outer" }), inner],
      middleware: [
        { name: "hide", beforeModel: (request) => ({ replace: without(request, "inner") }) },
        { name: "route", beforeTool: (call) => ({ replace: { ...call, name: "inner" } }) },
      ],
      script: [calls("outer"), "done"],
    });
    expect(resultsOf(await run())[0]).toMatchObject({ status: "ok", name: "inner" });
    expect(inner.calls).toHaveLength(1);
  });
});

describe("the policy of one run", () => {
  const script = [calls("google"), "done"];

  test("stands before the agent's, for that run alone (TOOL-15)", async () => {
    const { run } = scriptedAgent({
      policies: { unknownTool: { type: "return_error", message: "The agent's words." } },
      script: [...script, ...script, calls("google")],
    });
    const own = await run("Go.", { unknownTool: { type: "return_error", message: "The run's words." } });
    expect(resultsOf(own).map(toolText)).toEqual(["The run's words."]);
    expect(resultsOf(await run()).map(toolText)).toEqual(["The agent's words."]);
    const { error } = await failureOf(run("Go.", { unknownTool: { type: "fail" } }));
    expect(error.code).toBe("tool_not_found");
  });

  test("stays with the run when it goes on in another process (TOOL-15)", async () => {
    const { agent } = scriptedAgent({ tools: [fakeTool({ name: "look" })], script });
    let state = agent.initialState("Go.", { unknownTool: { type: "rewrite", tool: "look" } });
    while (state.phase !== "done") state = await agent.step(stored(state));
    expect(resultsOf(state)).toMatchObject([{ status: "ok", name: "look" }]);
    expect(state.config.unknownTool).toEqual({ type: "rewrite", tool: "look" });
  });

  test("binds runs below it where it is stricter than theirs (TOOL-15, CTX-07)", async () => {
    const child = scriptedAgent({ name: "child", script: [calls("google"), "child done"] });
    const parent = scriptedAgent({
      tools: [child.agent.asTool({ description: "The child." })],
      script: [calls({ name: "child", args: { task: "go" } }), "done"],
    });
    const finished = await parent.run("Go.", { unknownTool: { type: "fail" } });
    expect(resultsOf(finished)[0]).toMatchObject({ status: "failed" });
    expect(toolText(resultsOf(finished)[0] as never)).toContain("google");
  });

  test.each<[object, string]>([
    [{ type: "shrug" }, "options.unknownTool.type"],
    [{ type: "rewrite" }, "options.unknownTool.tool"],
    [{ type: "rewrite", tool: "nowhere" }, 'options.unknownTool.tool: there is no tool "nowhere"'],
    [{ type: "fail", mesage: "x" }, "options.unknownTool.mesage"],
  ])("is refused at once when it is none: %j", (unknownTool, place) => {
    const { agent } = scriptedAgent({ script: [] });
    expect(() => agent.initialState("Go.", { unknownTool } as never)).toThrow(TypeError);
    expect(() => agent.initialState("Go.", { unknownTool } as never)).toThrow(place);
  });
});
