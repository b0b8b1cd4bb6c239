import { type ModelDelta, TinyAgentsError } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { eventRecorder, fakeTool, flakyTool, scriptedModel, testSurroundings } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";
import { z } from "zod";

/** Arguments whose check needs nothing loaded: the clock stands still meanwhile. */
const NOTHING = z.looseObject({});

describe("events tell", () => {
  test("of a run: its ids, thread, tags, and how it came out (EVT-02, EVT-11)", async () => {
    const events = eventRecorder();
    const agent = createAgent({ name: "guide", model: scriptedModel(["hi"]), events });
    await agent.invoke("Go.", { runId: "r", threadId: "t", tags: ["x"] });
    for (const event of events.events) {
      expect(event).toMatchObject({ v: 1, runId: "r", rootRunId: "r", threadId: "t", tags: ["x"], component: "guide" });
      expect(event).not.toHaveProperty("parentRunId");
    }
    expect(events.ofType("run.started")[0]?.data).toMatchObject({ agent: "guide", resumed: false });
    expect(events.ofType("run.completed")[0]?.data).toEqual({ status: "completed", payload: { text: "hi" } });
  });

  test("of the metadata of their run, unless it has none (EVT-11)", async () => {
    const events = eventRecorder();
    const agent = createAgent({ name: "a", model: scriptedModel(["hi", "hi"]), events });
    await agent.invoke("Go.", { runId: "with", metadata: { team: 1, order: { id: "o1" } } });
    await agent.invoke("Go.", { runId: "without", metadata: {} });
    const told = (runId: string): unknown[] => events.ofRun(runId).map((event) => event.metadata);
    expect(told("with").length).toBeGreaterThan(3);
    expect(new Set(told("with").map((metadata) => JSON.stringify(metadata)))).toEqual(
      new Set(['{"team":1,"order":{"id":"o1"}}']),
    );
    for (const event of events.ofRun("without")) {
      expect(event).not.toHaveProperty("metadata");
      expect(event).not.toHaveProperty("tags");
    }
  });

  test.each([false, true])("what a model could not honour, its words only with payloads: %j", async (payloads) => {
    const warning = { code: "unsupported_setting", setting: "seed", message: "It takes no seed." } as const;
    const events = eventRecorder({ payloads });
    const deltas: ModelDelta[] = [
      { type: "text", index: 0, text: "Hi." },
      { type: "finish", finishReason: "stop", warnings: [warning] },
    ];
    await createAgent({ name: "a", model: scriptedModel([{ deltas }]), events }).invoke("Hi");
    const [told] = events.ofType("model.completed").map(({ data }) => data);
    expect(told?.warnings).toEqual([{ code: "unsupported_setting", setting: "seed" }]);
    expect(told?.payload?.warnings).toEqual(payloads ? [warning] : undefined);
  });

  test("of a model call: its id, model, attempts, time, tokens and end (EVT-03, EVT-07)", async () => {
    const { clock, events } = testSurroundings();
    const usage = { inputTokens: 9, outputTokens: 4, cachedInputTokens: 5, source: "reported" } as const;
    const model = scriptedModel([{ text: "hi", usage, delayMs: 70 }], { clock, id: "test/one" });
    const running = createAgent({ name: "a", model, events }).invoke("Go.", { clock, runId: "r" });
    await clock.advance(100);
    await running;
    const resolved = { id: "test/one", provider: "test", model: "one", chosenBy: "agent" };
    expect(events.ofType("model.started")[0]?.data).toMatchObject({ callId: "r/m1", model: resolved });
    expect(events.ofType("model.completed")[0]?.data).toMatchObject({
      callId: "r/m1",
      model: resolved,
      finishReason: "stop",
      attempts: 1,
      elapsedMs: 70,
      usage,
    });
    expect(events.ofType("usage.recorded").map(({ data }) => data)).toEqual([
      { callId: "r/m1", model: resolved, usage },
    ]);
  });

  test("of a tool call: its id, name, label, time and length; failures apart from refusals (EVT-04)", async () => {
    const { clock, events } = testSurroundings();
    const agent = createAgent({
      name: "a",
      model: scriptedModel([
        { toolCalls: [{ name: "look" }, { name: "fail" }, { name: "pay" }, { name: "nothing" }] },
        "done",
      ]),
      tools: [
        fakeTool({ name: "look", input: NOTHING, label: "Looks", result: { fog: true }, delayMs: 30, clock }),
        fakeTool({ name: "fail", input: NOTHING, result: new Error("x") }),
        fakeTool({ name: "pay", input: NOTHING, policy: { approval: "always" } }),
      ],
      events,
    });
    const running = agent.invoke("Go.", { clock });
    await clock.advance(100);
    await running;
    expect(events.ofType("tool.started")[0]?.data).toMatchObject({ callId: "call_1", tool: "look", label: "Looks" });
    expect(events.ofType("tool.completed")[0]?.data).toMatchObject({
      callId: "call_1",
      tool: "look",
      elapsedMs: 30,
      chars: '{"fog":true}'.length,
    });
    const failed = events.ofType("tool.failed").map(({ data }) => [data.tool, data.status, data.error?.code]);
    expect(failed.sort()).toEqual([
      ["fail", "failed", "tool_failed"],
      ["nothing", "unknown_tool", undefined],
      ["pay", "denied", undefined],
    ]);
    expect(events.ofType("tool.unknown")[0]?.data).toMatchObject({ tool: "nothing", recovery: "return_error" });
  });

  test("of repeats, of models and of tools: the attempt that comes, the wait and the reason (EVT-06)", async () => {
    const { clock, events } = testSurroundings();
    const error = new TinyAgentsError("provider_rate_limit", "slow down", {
      details: { provider: "test", retryAfterMs: 40 },
    });
    const model = scriptedModel([{ error }, { toolCalls: [{ name: "flaky" }] }, "done"]);
    const lost = new TinyAgentsError("network", "reset", { details: {} });
    const retry = { initialDelayMs: 10, jitter: "none" } as const;
    const tools = [flakyTool({ name: "flaky", input: NOTHING, error: lost, policy: { retry } })];
    const running = createAgent({ name: "a", model, tools, events }).invoke("Go.", { clock, runId: "r" });
    await clock.advance(100);
    await running;
    expect(events.ofType("retry.scheduled").map(({ data }) => data)).toEqual([
      { callId: "r/m1", attempt: 2, delayMs: 40, code: "provider_rate_limit" },
      { callId: "call_1", attempt: 2, delayMs: 10, code: "network" },
    ]);
  });

  test("of approvals: who agreed or not, to which call, and why (EVT-10)", async () => {
    const events = eventRecorder();
    const agent = createAgent({
      name: "a",
      model: scriptedModel([
        {
          toolCalls: [
            { name: "pay", args: { to: "me" } },
            { name: "pay", args: { to: "you" } },
          ],
        },
        "done",
      ]),
      tools: [fakeTool({ name: "pay", policy: { approval: "always" } })],
      approver: {
        decide: ({ args }) =>
          args.to === "you" ? { approve: true, by: "ann" } : { approve: false, by: "bob", reason: "too dear" },
      },
      events,
    });
    await agent.invoke("Go.");
    const [first, second] = events.ofType("approval.requested").map(({ data }) => data);
    expect(first).toMatchObject({ callId: "call_1", tool: "pay", payload: { args: { to: "me" } } });
    expect(events.ofType("approval.denied").map(({ data }) => data)).toEqual([
      { requestId: first?.requestId, callId: "call_1", tool: "pay", by: "bob", reason: "too dear" },
    ]);
    expect(events.ofType("approval.granted").map(({ data }) => data)).toEqual([
      { requestId: second?.requestId, callId: "call_2", tool: "pay", by: "ann" },
    ]);
  });

  test("of a pause: what it waits for; and of going on after it (EVT-02, EVT-10)", async () => {
    const events = eventRecorder();
    const agent = createAgent({
      name: "a",
      model: scriptedModel([{ toolCalls: [{ name: "pay" }] }, "done"]),
      tools: [fakeTool({ name: "pay", policy: { approval: "always" } })],
      approver: { decide: () => "ask" },
      events,
    });
    const paused = await agent.invoke("Go.");
    const id = paused.requests[0]?.id ?? "";
    expect(events.ofType("run.paused")[0]?.data).toEqual({ requests: [{ id, type: "approval", callId: "call_1" }] });
    await agent.resume(paused.state, { answers: { [id]: { approve: true, by: "ann" } } });
    expect(events.ofType("run.started").map(({ data }) => data.resumed)).toEqual([false, true]);
    expect(events.ofType("approval.granted")[0]?.data).toMatchObject({ requestId: id, by: "ann" });
  });
});
