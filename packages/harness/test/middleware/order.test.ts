import type { Middleware } from "@tinyagents/core";
import { TinyAgentsError } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { fakeTool, flakyTool, scriptedModel, testSurroundings } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";
import { failureOf } from "../support/failures.js";

/** A middleware that notes its hooks around model and tool calls. */
function tracing(name: string, trace: string[]): Middleware {
  const note = (hook: string): void => void trace.push(`${name}.${hook}`);
  return {
    name,
    beforeModel: () => note("beforeModel"),
    async *wrapModel(request, _context, next) {
      note("wrapModel in");
      yield* next(request);
      note("wrapModel out");
    },
    onModelDelta: (delta) => (delta.type === "finish" ? note("onModelDelta") : undefined),
    afterModel: () => note("afterModel"),
    beforeTool: () => note("beforeTool"),
    async wrapTool(call, _context, next) {
      note("wrapTool in");
      const result = await next(call);
      note("wrapTool out");
      return result;
    },
    onToolDelta: () => note("onToolDelta"),
    afterTool: () => note("afterTool"),
  };
}

const MODEL_CALL = [
  ...["a.beforeModel", "b.beforeModel", "c.beforeModel"],
  ...["a.wrapModel in", "b.wrapModel in", "c.wrapModel in"],
  ...["a.onModelDelta", "b.onModelDelta", "c.onModelDelta"],
  ...["c.wrapModel out", "b.wrapModel out", "a.wrapModel out"],
  ...["c.afterModel", "b.afterModel", "a.afterModel"],
];
const TOOL_CALL = [
  ...["a.beforeTool", "b.beforeTool", "c.beforeTool"],
  ...["a.wrapTool in", "b.wrapTool in", "c.wrapTool in"],
  ...["a.onToolDelta", "b.onToolDelta", "c.onToolDelta"],
  ...["c.wrapTool out", "b.wrapTool out", "a.wrapTool out"],
  ...["c.afterTool", "b.afterTool", "a.afterTool"],
];

describe("three middleware in a run", () => {
  const countingTool = () =>
    fakeTool({
      name: "count",
      execute: async (_input, runtime) => {
        runtime.progress(1);
        return "done";
      },
    });

  test("surround each model call and each tool call in the stated order (MWH-01, MWH-02)", async () => {
    const trace: string[] = [];
    const agent = createAgent({
      name: "traced",
      model: scriptedModel([{ toolCalls: [{ name: "count" }] }, "three"]),
      tools: [countingTool()],
      middleware: ["a", "b", "c"].map((name) => tracing(name, trace)),
    });
    await agent.invoke("Count.");
    expect(trace).toEqual([...MODEL_CALL, ...TOOL_CALL, ...MODEL_CALL]);
  });

  test("run before and after hooks once around a call that was repeated (MWH-02, MWH-05)", async () => {
    const trace: string[] = [];
    const { clock, ...rest } = testSurroundings();
    const agent = createAgent({
      name: "traced",
      model: scriptedModel([{ text: "thr", error: network() }, "three"]),
      middleware: ["a", "b", "c"].map((name) => tracing(name, trace)),
    });
    const running = agent.invoke("Count.", { clock, ...rest });
    await clock.advance(10_000);
    await running;
    expect(trace).toEqual(MODEL_CALL);
  });

  test("have delta hooks outside the wraps, where they see that a call begins anew (MWH-02)", async () => {
    const seen: string[] = [];
    const { clock } = testSurroundings();
    const agent = createAgent({
      name: "traced",
      model: scriptedModel([{ text: "thr", error: network() }, "three"]),
      middleware: [{ name: "watch", onModelDelta: ({ type }) => void seen.push(type) }],
    });
    const running = agent.invoke("Count.", { clock });
    await clock.advance(10_000);
    await running;
    expect(seen.filter((type) => type === "restart")).toEqual(["restart"]);
    expect(seen.indexOf("restart")).toBeGreaterThan(0);
  });
});

describe("an error hook", () => {
  test("hears of each failure once, with the typed error: of a tool, of the model, of the run (MWH-05)", async () => {
    const heard: string[] = [];
    const agent = createAgent({
      name: "failing",
      model: scriptedModel([
        { toolCalls: [{ name: "flaky" }] },
        { error: new TinyAgentsError("provider_auth", "no key", { details: { provider: "test" } }) },
      ]),
      tools: [flakyTool({ name: "flaky" })],
      middleware: [{ name: "ears", onError: ({ code }) => void heard.push(code) }],
    });
    const { error } = await failureOf(agent.invoke("Go."));
    expect(error.code).toBe("provider_auth");
    expect(heard).toEqual(["tool_failed", "provider_auth"]);
  });

  test.each([
    ["a hook that throws", { name: "broken", beforeModel: () => Promise.reject(new Error("x")) }, "middleware_failed"],
    ["a plain error of a model", undefined, "internal"],
  ] satisfies [string, Middleware | undefined, string][])("hears of %s once (MWH-05)", async (_, broken, code) => {
    const heard: string[] = [];
    const model = scriptedModel([
      () => {
        throw new Error("wires crossed");
      },
    ]);
    const ears: Middleware = { name: "ears", onError: (error) => void heard.push(error.code) };
    const agent = createAgent({ name: "failing", model, middleware: broken === undefined ? [ears] : [ears, broken] });
    expect((await failureOf(agent.invoke("Go."))).error.code).toBe(code);
    expect(heard).toEqual([code]);
  });

  test("that puts another error in place of a failure does not hear of its own (MWH-05)", async () => {
    const heard: string[] = [];
    const replaced = new TinyAgentsError("invalid_request", "in better words", { details: {} });
    const agent = createAgent({
      name: "failing",
      model: scriptedModel([{ error: network() }]),
      policies: { retry: { maxAttempts: 1 } },
      middleware: [
        {
          name: "words",
          onError: ({ code }) => {
            heard.push(code);
            return { control: { type: "fail", error: replaced } };
          },
        },
      ],
    });
    expect((await failureOf(agent.invoke("Go."))).error.message).toBe("in better words");
    expect(heard).toEqual(["network"]);
  });

  test("hears of a cancellation, and cannot call it off (MW-06)", async () => {
    const heard: string[] = [];
    const model = scriptedModel([{ text: "so", hang: true }, "never"]);
    const agent = createAgent({
      name: "cancelled",
      model,
      middleware: [
        {
          name: "stubborn",
          onError: ({ code }) => {
            heard.push(code);
            return { control: { type: "retry" } };
          },
        },
      ],
    });
    const controller = new AbortController();
    const running = failureOf(agent.invoke("Go.", { signal: controller.signal }));
    await model.called();
    controller.abort();
    expect((await running).error.code).toBe("cancelled");
    expect(heard).toEqual(["cancelled"]);
    expect(model.remaining).toBe(1);
  });
});

function network(): TinyAgentsError {
  return new TinyAgentsError("network", "reset", { details: {} });
}
