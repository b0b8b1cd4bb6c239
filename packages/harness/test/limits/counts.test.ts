import { type AgentRun, checkHistory, type ResolvedLimits } from "@tinyagents/core";
import { type Agent, type AgentOptions, createAgent } from "@tinyagents/harness";
import { eventRecorder, type FakeTool, fakeTool, gauge, type ScriptedModel, scriptedModel } from "@tinyagents/testkit";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { failureOf } from "../support/failures.js";
import { resultStatuses } from "../support/transcript.js";

interface Made {
  readonly agent: Agent;
  readonly model: ScriptedModel;
  readonly tool: FakeTool<{ key: string }>;
}

function call(key: string): { name: string; args: { key: string } } {
  return { name: "work", args: { key } };
}

function made(script: Parameters<typeof scriptedModel>[0], options: Partial<AgentOptions> = {}): Made {
  const model = scriptedModel(script, { usage: { inputTokens: 60, outputTokens: 40 } });
  const tool = fakeTool({
    name: "work",
    input: z.object({ key: z.string() }),
    execute: ({ key }: { key: string }) => key,
  });
  return { agent: createAgent({ name: "a", model, tools: [tool], ...options }), model, tool };
}

const BUSY = Array.from({ length: 8 }, (_, n) => ({ toolCalls: [call(`k${n}`)] }));

describe("model calls", () => {
  it("does not send the call that would be one too many (LIM-01, LIM-06)", async () => {
    const events = eventRecorder();
    const { agent, model, tool } = made(BUSY, { limits: { maxModelCalls: 2 }, events });
    const { error, run } = await failureOf(agent.invoke("go"));
    expect(error).toMatchObject({
      code: "limit_exceeded",
      details: { limit: "maxModelCalls", allowed: 2 },
      retryable: false,
    });
    expect(error.details).toMatchObject({ counters: { modelCalls: 2, toolCalls: 2, totalTokens: 200 } });
    expect(model.calls).toHaveLength(2);
    expect(tool.calls).toHaveLength(2);
    expect(events.ofType("limit.reached").map(({ data }) => data)).toEqual([{ limit: "maxModelCalls", allowed: 2 }]);
    expect(events.types().slice(-2)).toEqual(["limit.reached", "run.failed"]);
    expect(run).toMatchObject({
      status: "failed",
      counters: { modelCalls: 2 },
      usage: { totalTokens: 200, modelCalls: 2 },
    });
  });

  it("sends none at all when none are allowed (LIM-01)", async () => {
    const { agent, model } = made(["hello"], { limits: { maxModelCalls: 0 } });
    const { error } = await failureOf(agent.invoke("go"));
    expect(error.code).toBe("limit_exceeded");
    expect(model.calls).toHaveLength(0);
  });

  it("does not count attempts of a retry (LIM-01)", async () => {
    const { agent } = made(["hello"], { limits: { maxModelCalls: 1 } });
    expect((await agent.invoke("go")).counters.modelCalls).toBe(1);
  });
});

describe("what a limit leaves", () => {
  it("keeps everything done so far: history, usage, and what was still asked for (AL-01, LOOP-16)", async () => {
    const { agent } = made([{ text: "First.", toolCalls: [call("a"), call("b"), call("c")] }], {
      limits: { maxToolCalls: 2 },
    });
    const { run } = await failureOf(agent.invoke("go"));
    expect(run.text).toBe("First.");
    expect(resultStatuses(run.messages)).toEqual(["work#call_1 ok", "work#call_2 ok", "work#call_3 not_run"]);
    expect(checkHistory(run.messages)).toEqual([]);
    expect(run.usage).toMatchObject({ inputTokens: 60, outputTokens: 40, modelCalls: 1, toolCalls: 2 });
    expect(run.error?.code).toBe("limit_exceeded");
  });

  it("goes on from there with a higher limit, without a call repeated (AL-01, LOOP-16)", async () => {
    const { agent, tool, model } = made([...BUSY.slice(0, 3), "Done."], { limits: { maxModelCalls: 2 } });
    const { run } = await failureOf(agent.invoke("go"));
    const text = JSON.stringify(run.state);
    const again = await agent.resume(JSON.parse(text), { limits: { maxModelCalls: 10 } });
    expect(again).toMatchObject({ status: "completed", text: "Done." });
    expect(tool.calls.map(({ input }) => input.key)).toEqual(["k0", "k1", "k2"]);
    expect(model.calls).toHaveLength(4);
    expect(again.counters).toMatchObject({ modelCalls: 4, toolCalls: 3 });
    expect(checkHistory(again.messages)).toEqual([]);
  });

  it("fails again, and asks nobody, when it goes on with the limit as it was (LIM-06)", async () => {
    const { agent, model } = made(BUSY, { limits: { maxModelCalls: 2 } });
    const { run } = await failureOf(agent.invoke("go"));
    const { error } = await failureOf(agent.resume(run.state));
    expect(error.code).toBe("limit_exceeded");
    expect(model.calls).toHaveLength(2);
  });

  it("is a state in phase failed for whoever drives step by step, with counters to act on (LOOP-16)", async () => {
    const { agent } = made(BUSY, { limits: { maxModelCalls: 1 } });
    let state = agent.initialState("go");
    while (state.phase !== "limit") state = await agent.step(state);
    expect(state.limit).toEqual({ limit: "maxModelCalls", allowed: 1 });
    state = await agent.step(state);
    expect(state).toMatchObject({
      phase: "failed",
      error: { code: "limit_exceeded", details: { limit: "maxModelCalls", counters: { modelCalls: 1, toolCalls: 1 } } },
    });
  });

  it("lets middleware see the counters of a run that hits its limit (LOOP-16)", async () => {
    const heard: unknown[] = [];
    const { agent } = made(BUSY, {
      limits: { maxModelCalls: 1 },
      middleware: [
        { name: "hear", onError: (error, { counters }) => void heard.push([error.code, counters.modelCalls]) },
      ],
    });
    await failureOf(agent.invoke("go"));
    expect(heard).toEqual([["limit_exceeded", 1]]);
  });
});

describe("tool calls", () => {
  it("stops a batch before the call that would be one too many (LIM-02)", async () => {
    const events = eventRecorder();
    const { agent, model, tool } = made(
      [{ toolCalls: [call("a")] }, { toolCalls: [call("b"), call("c"), call("d")] }, "no"],
      {
        limits: { maxToolCalls: 2 },
        events,
      },
    );
    const { error } = await failureOf(agent.invoke("go"));
    expect(error.details).toMatchObject({
      limit: "maxToolCalls",
      allowed: 2,
      counters: { toolCalls: 2, modelCalls: 2 },
    });
    expect(tool.calls.map(({ input }) => input.key)).toEqual(["a", "b"]);
    expect(model.calls).toHaveLength(2);
    expect(events.ofType("tool.failed").map(({ data }) => [data.callId, data.status])).toEqual([
      ["call_3", "not_run"],
      ["call_4", "not_run"],
    ]);
  });

  it("counts calls with wrong names and arguments (LIM-02)", async () => {
    const { agent, tool } = made([{ toolCalls: [{ name: "nobody" }, { name: "work", rawArgs: "{" }, call("a")] }], {
      limits: { maxToolCalls: 2 },
    });
    const { run } = await failureOf(agent.invoke("go"));
    expect(tool.calls).toEqual([]);
    expect(resultStatuses(run.messages)).toEqual([
      "nobody#call_1 unknown_tool",
      "work#call_2 invalid",
      "work#call_3 not_run",
    ]);
  });
});

describe("calls at once", () => {
  async function atOnce(limits: Partial<ResolvedLimits>, concurrencySafe = true): Promise<number> {
    const flight = gauge();
    const tool = fakeTool({
      name: "work",
      input: z.object({ key: z.string() }),
      policy: { effect: "none", concurrencySafe },
      execute: () => new Promise((resolve) => setImmediate(() => resolve("ok"))),
    });
    const model = scriptedModel([{ toolCalls: Array.from({ length: 20 }, (_, n) => call(`${n}`)) }, "Done."]);
    const run = await createAgent({ name: "a", model, tools: [flight.tool(tool)], limits }).invoke("go");
    expect(run.counters.toolCalls).toBe(20);
    return flight.highest;
  }

  it("has no more tool calls in flight than it may (LIM-03)", async () => {
    expect(await atOnce({ maxConcurrency: 3 })).toBe(3);
    expect(await atOnce({ maxConcurrency: 1 })).toBe(1);
    expect(await atOnce({})).toBe(8);
    expect(await atOnce({ maxConcurrency: 8 }, false)).toBe(1);
  });

  it("has no more sub-agents in flight than it may (LIM-03)", async () => {
    const flight = gauge();
    const child = createAgent({
      name: "child",
      model: scriptedModel(
        Array.from(
          { length: 6 },
          () => () => flight.track(() => new Promise<string>((resolve) => setImmediate(() => resolve("ok")))),
        ),
      ),
    });
    const model = scriptedModel([
      { toolCalls: Array.from({ length: 6 }, (_, n) => ({ name: "child", args: { task: `${n}` } })) },
      "Done.",
    ]);
    const run: AgentRun = await createAgent({
      name: "parent",
      model,
      tools: [child.asTool({ description: "Helps." })],
      limits: { maxConcurrency: 2 },
    }).invoke("go");
    expect(run.status).toBe("completed");
    expect(flight.highest).toBe(2);
  });
});

describe("tokens and corrections", () => {
  it("makes no further model call when the tokens are used up (LIM-06)", async () => {
    const events = eventRecorder();
    const { agent, model, tool } = made(BUSY, { limits: { maxTotalTokens: 150 }, events });
    const { error } = await failureOf(agent.invoke("go"));
    expect(error.details).toMatchObject({ limit: "maxTotalTokens", allowed: 150, counters: { totalTokens: 200 } });
    expect(model.calls).toHaveLength(2);
    expect(tool.calls).toHaveLength(2);
    expect(events.ofType("limit.reached")).toHaveLength(1);
  });

  it("ends a run whose model makes one mistake too many, and runs nothing of that batch (LIM-06)", async () => {
    const events = eventRecorder();
    const { agent, model, tool } = made(
      [{ toolCalls: [{ name: "nobody" }] }, { toolCalls: [call("a"), { name: "nobody" }] }, "no"],
      {
        limits: { maxCorrections: 1 },
        events,
      },
    );
    const { error, run } = await failureOf(agent.invoke("go"));
    expect(error.details).toMatchObject({ limit: "maxCorrections", allowed: 1, counters: { corrections: 1 } });
    expect(tool.calls).toHaveLength(0);
    expect(model.calls).toHaveLength(2);
    expect(events.ofType("limit.reached").map(({ data }) => data.limit)).toEqual(["maxCorrections"]);
    expect(checkHistory(run.messages)).toEqual([]);
  });
});

it("refuses a limit that is no whole number, when the agent is made and when it is asked", () => {
  expect(() => made([], { limits: { maxModelCalls: -1 } })).toThrow(TypeError);
  expect(() => made([], { limits: { maxConcurrency: 0 } })).toThrow(/limits\.maxConcurrency/);
  expect(() => made([]).agent.initialState("go", { limits: { maxToolCalls: 1.5 } })).toThrow(/limits\.maxToolCalls/);
});
