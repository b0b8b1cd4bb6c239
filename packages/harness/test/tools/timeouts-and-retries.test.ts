import { TinyAgentsError, toolText } from "@tinyagents/core";
import { fakeTool, flakyTool, hangingTool } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";
import { failureOf } from "../support/failures.js";
import { calls, resultsOf, scriptedAgent } from "../support/tool-runs.js";

describe("the time limit of a tool", () => {
  test("replaces the run's for that tool only (TOOL-05)", async () => {
    const slow = hangingTool({ name: "slow", policy: { effect: "none", timeoutMs: 50 } });
    const patient = fakeTool({
      name: "patient",
      execute: async (_, { run: { clock }, signal }) => {
        await clock.sleep(900, signal);
        return "late";
      },
    });
    const { run, clock } = scriptedAgent({
      tools: [slow, patient],
      limits: { toolTimeoutMs: 1_000 },
      script: [calls("slow", "patient"), "done"],
    });
    const running = run();
    await slow.called();
    await clock.advance(1_000);
    const results = resultsOf(await running);
    expect(results.map(({ status }) => status)).toEqual(["timeout", "ok"]);
    expect(results[0]?.elapsedMs).toBe(50);
    expect(toolText(results[0] as never)).toContain("did not finish within 50 ms");
    expect(slow.aborted).toBe(1);
    expect(clock.timers).toBe(0);
  });

  test("is the run's where the tool says nothing", async () => {
    const slow = hangingTool({ name: "slow" });
    const { run, clock } = scriptedAgent({
      tools: [slow],
      limits: { toolTimeoutMs: 70 },
      script: [calls("slow"), "done"],
    });
    const running = run();
    await slow.called();
    await clock.advance(70);
    expect(resultsOf(await running)[0]?.status).toBe("timeout");
  });

  test("is not waited beyond for a tool that ignores its signal, and its late end changes nothing", async () => {
    let finish: (value: string) => void = () => {};
    const deaf = fakeTool({
      name: "deaf",
      policy: { effect: "none", timeoutMs: 50 },
      execute: (_, runtime) =>
        new Promise((resolve) => {
          finish = (value) => {
            runtime.progress("too late");
            resolve(value);
          };
        }),
    });
    const { agent, clock, events, model } = scriptedAgent({ tools: [deaf], script: [calls("deaf"), "done"] });
    const handle = agent.start("Go.");
    const watch = handle.subscribe({ modes: ["tools"] });
    await deaf.called();
    await clock.advance(50);
    finish("finished after all");
    const finished = await handle.result;
    const items = [];
    for await (const item of watch) items.push(item.type);
    expect(resultsOf(finished).map(({ status }) => status)).toEqual(["timeout"]);
    expect(model.requests).toHaveLength(2);
    expect(events.ofType("tool.failed")).toHaveLength(1);
    expect(events.ofType("tool.completed")).toHaveLength(0);
    expect(items).toEqual(["tool_started", "tool_result"]);
  });
});

describe("the repeats of a tool", () => {
  test("happen as its own policy says, are counted and told, and the other tools are not repeated (TOOL-05)", async () => {
    const retry = { maxAttempts: 3, initialDelayMs: 100, jitter: "none" } as const;
    const flaky = flakyTool({ name: "flaky", failures: 2, policy: { effect: "none", retry } });
    const failing = flakyTool({ name: "failing", failures: 2 });
    const { run, clock, events } = scriptedAgent({
      tools: [flaky, failing],
      script: [calls("flaky", "failing"), "done"],
    });
    const running = run();
    await flaky.called();
    await clock.advance(300);
    const finished = await running;
    expect(resultsOf(finished).map(({ status, attempts }) => [status, attempts])).toEqual([
      ["ok", 3],
      ["failed", undefined],
    ]);
    expect(flaky.calls.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(new Set(flaky.calls.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
    expect(failing.calls).toHaveLength(1);
    expect(finished.counters).toMatchObject({ retries: 2, toolCalls: 2 });
    expect(events.ofType("retry.scheduled").map(({ data }) => [data.callId, data.attempt, data.delayMs])).toEqual([
      ["a", 2, 100],
      ["a", 3, 200],
    ]);
    expect(events.ofType("tool.started")).toHaveLength(2);
  });

  test("get input that an earlier attempt has not touched", async () => {
    const seen: unknown[] = [];
    const tool = fakeTool({
      name: "greedy",
      input: { "~standard": { version: 1, vendor: "t", validate: () => ({ value: { left: ["a"] } }) } } as never,
      inputSchema: { type: "object" },
      policy: { effect: "none", retry: { maxAttempts: 2, initialDelayMs: 0 } },
      execute: (input: unknown) => {
        const { left } = input as { left: string[] };
        seen.push(left.length);
        left.pop();
        if (seen.length === 1) throw new Error("once more");
        return "ok";
      },
    });
    const { run, clock } = scriptedAgent({ tools: [tool], script: [calls("greedy"), "done"] });
    const running = run();
    await tool.called();
    await clock.advance(1);
    await running;
    expect(seen).toEqual([1, 1]);
  });

  test("end with the run's budget for them, and so does the run (LIM-05, LIM-06)", async () => {
    const retry = { maxAttempts: 10, initialDelayMs: 0 };
    const flaky = flakyTool({ name: "flaky", failures: 9, policy: { effect: "none", retry } });
    const { run, clock } = scriptedAgent({
      tools: [flaky],
      limits: { maxRetries: 2 },
      script: [calls("flaky"), "done"],
    });
    const running = failureOf(run());
    await flaky.called();
    await clock.advance(10);
    const { error, run: partial } = await running;
    expect(error.details).toMatchObject({ limit: "maxRetries", allowed: 2 });
    expect(resultsOf(partial)[0]).toMatchObject({ status: "failed", attempts: 3 });
    expect(flaky.calls).toHaveLength(3);
  });

  test("do not happen for what somebody refused", async () => {
    const denied = new TinyAgentsError("tool_denied", "Not you.", { details: { tool: "t", reason: "not you" } });
    const tool = fakeTool({ name: "t", result: denied, policy: { effect: "none", retry: { initialDelayMs: 0 } } });
    const { run } = scriptedAgent({ tools: [tool], script: [calls("t"), "done"] });
    expect(resultsOf(await run())[0]?.status).toBe("denied");
    expect(tool.calls).toHaveLength(1);
  });

  test("give each attempt a time of its own", async () => {
    const retry = { maxAttempts: 2, initialDelayMs: 0 };
    const slow = hangingTool({ name: "slow", policy: { effect: "none", timeoutMs: 40, retry } });
    const { run, clock } = scriptedAgent({ tools: [slow], script: [calls("slow"), "done"] });
    const running = run();
    await slow.called();
    await clock.advance(100);
    expect(resultsOf(await running)[0]).toMatchObject({ attempts: 2, elapsedMs: 80 });
    expect(slow.aborted).toBe(2);
    expect(clock.timers).toBe(0);
  });
});
