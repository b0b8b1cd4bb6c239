import { type AgentRun, checkHistory } from "@tinyagents/core";
import { type Agent, type AgentOptions, createAgent } from "@tinyagents/harness";
import { eventRecorder, fakeTool, scriptedModel, testSurroundings } from "@tinyagents/testkit";
import { expect, it } from "vitest";
import { z } from "zod";
import { failureOf } from "../support/failures.js";
import { resultStatuses } from "../support/transcript.js";

/** `levels` agents, each a tool of the one above it; each is asked for its limits when it runs. */
function nested(levels: number, options: Partial<AgentOptions>, own: Partial<AgentOptions> = {}): Agent {
  let agent: Agent | undefined;
  for (let level = levels; level >= 1; level--) {
    const below = agent;
    const usage = { inputTokens: 10, outputTokens: 10 };
    agent = createAgent({
      name: `level${level}`,
      model:
        below === undefined
          ? scriptedModel(["bottom"], { usage })
          : scriptedModel([{ toolCalls: [{ name: below.name, args: { task: "x" } }] }, "ok"], { usage }),
      tools: below === undefined ? [] : [below.asTool({ description: "Below." })],
      ...(level === 1 ? options : own),
    });
  }
  return agent as Agent;
}

it("lets agents nest as deep as the run at the top allows, and no deeper (LIM-07)", async () => {
  const events = eventRecorder();
  await nested(3, { limits: { maxDepth: 2 }, events }).invoke("go");
  expect(events.ofType("sub_agent.started").map(({ data }) => data.depth)).toEqual([1, 2]);

  const shallow = eventRecorder();
  const run = await nested(3, { limits: { maxDepth: 1 }, events: shallow }).invoke("go");
  expect(run.status).toBe("completed");
  expect(shallow.ofType("sub_agent.started").map(({ data }) => data.depth)).toEqual([1]);
  expect(shallow.ofType("tool.failed").map(({ component, data }) => [component, data.error?.code])).toEqual([
    ["level2", "recursion_limit"],
  ]);
  expect(shallow.ofType("limit.reached").map(({ component, data }) => [component, data])).toEqual([
    ["level2", { limit: "maxDepth", allowed: 1 }],
  ]);
});

it("does not let a child widen how deep it may go (LIM-07)", async () => {
  const events = eventRecorder();
  await nested(4, { limits: { maxDepth: 1 }, events }, { limits: { maxDepth: 99 } }).invoke("go");
  expect(events.ofType("sub_agent.started")).toHaveLength(1);
});

it("has a default depth, and none when the limit is 0 (LIM-07)", async () => {
  const events = eventRecorder();
  await nested(7, { events }).invoke("go");
  expect(events.ofType("sub_agent.started").map(({ data }) => data.depth)).toEqual([1, 2, 3, 4]);
  const run = await nested(2, { limits: { maxDepth: 0 } }).invoke("go");
  expect(resultStatuses(run.messages)).toEqual(["level2#call_1 failed"]);
});

it("gives a child no more tokens and time than are left (LIM-07)", async () => {
  const around = testSurroundings();
  const given: unknown[] = [];
  const child = createAgent({
    name: "child",
    model: scriptedModel(["ok"]),
    limits: { maxTotalTokens: 1_000_000, wallClockMs: 1_000_000 },
    middleware: [{ name: "look", beforeAgent: ({ config }) => void given.push(config.limits) }],
  });
  const model = scriptedModel(
    [
      {
        toolCalls: [{ name: "child", args: { task: "x" } }],
        usage: { inputTokens: 30, outputTokens: 10 },
        delayMs: 400,
      },
      "ok",
    ],
    {
      clock: around.clock,
    },
  );
  const limits = { maxTotalTokens: 100, wallClockMs: 1_000 };
  const running = createAgent({
    name: "a",
    model,
    tools: [child.asTool({ description: "x" })],
    limits,
    ...around,
  }).invoke("go");
  await model.called();
  await around.clock.advance(400);
  await running;
  expect(given).toMatchObject([{ maxTotalTokens: 60, wallClockMs: 600 }]);
});

it("gives a child no more of anything than its parent may have itself, and its own where that is less (LIM-07)", async () => {
  const given: unknown[] = [];
  const child = createAgent({
    name: "child",
    model: scriptedModel(["ok"]),
    limits: {
      maxModelCalls: 99,
      maxToolCalls: 3,
      maxConcurrency: 99,
      toolTimeoutMs: 9_999,
      modelTimeoutMs: 5,
      maxResultChars: 7,
    },
    middleware: [{ name: "look", beforeAgent: ({ config }) => void given.push(config.limits) }],
  });
  const model = scriptedModel([{ toolCalls: [{ name: "child", args: { task: "x" } }] }, "ok"]);
  const limits = {
    maxModelCalls: 10,
    maxToolCalls: 20,
    maxConcurrency: 2,
    toolTimeoutMs: 1_000,
    modelTimeoutMs: 1_000,
  };
  await createAgent({ name: "a", model, tools: [child.asTool({ description: "x" })], limits }).invoke("go");
  expect(given).toMatchObject([
    {
      maxModelCalls: 9,
      maxToolCalls: 3,
      maxConcurrency: 2,
      toolTimeoutMs: 1_000,
      modelTimeoutMs: 5,
      maxResultChars: 7,
    },
  ]);
});

it("counts a child's tokens against the run above it (LIM-07, USG-03)", async () => {
  const { error, run } = await failureOf(nested(3, { limits: { maxTotalTokens: 70 } }).invoke("go"));
  expect(error.details).toMatchObject({ limit: "maxTotalTokens", counters: { totalTokens: 80 } });
  expect(checkHistory(run.messages)).toEqual([]);
});

it("tells the parent's model of a child that hits a limit of its own, and goes on (LIM-06)", async () => {
  const work = fakeTool({ name: "work", input: z.object({}) });
  const child = createAgent({
    name: "child",
    model: scriptedModel([{ toolCalls: [{ name: "work" }] }, "never"]),
    tools: [work],
    limits: { maxModelCalls: 1 },
  });
  const model = scriptedModel([{ toolCalls: [{ name: "child", args: { task: "x" } }] }, "The child gave up."]);
  const run: AgentRun = await createAgent({ name: "a", model, tools: [child.asTool({ description: "x" })] }).invoke(
    "go",
  );
  expect(run.text).toBe("The child gave up.");
  expect(resultStatuses(run.messages)).toEqual(["child#call_1 failed"]);
  expect(run.treeUsage).toMatchObject({ modelCalls: 3, toolCalls: 2 });
});
