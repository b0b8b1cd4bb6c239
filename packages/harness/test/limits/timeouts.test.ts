import { checkHistory, TinyAgentsError } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { fakeTool, hangingTool, scriptedModel, testSurroundings } from "@tinyagents/testkit";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { failureOf } from "../support/failures.js";
import { type Latch, latch, quiet, stubbornModel } from "../support/stubborn.js";
import { resultStatuses } from "../support/transcript.js";

const NO_RETRY = { retry: { maxAttempts: 1 }, cancelGraceMs: 100 };

describe("the time of a run", () => {
  it("ends a run that hangs in a model call, and says that it was the run's time (LIM-04, LIM-06)", async () => {
    const around = testSurroundings();
    const model = scriptedModel([{ hang: true }]);
    const failing = failureOf(
      createAgent({ name: "a", model, limits: { wallClockMs: 1_000 }, ...around }).invoke("go"),
    );
    await model.called();
    await around.clock.advance(999);
    expect(model.calls[0]?.state).toBe("running");
    await around.clock.advance(1);
    const { error, run } = await failing;
    expect(error).toMatchObject({
      code: "limit_exceeded",
      details: { limit: "wallClockMs", allowed: 1_000 },
      retryable: false,
    });
    expect(error.details).toMatchObject({ counters: { modelCalls: 1, elapsedMs: 1_000 } });
    expect(around.events.ofType("limit.reached").map(({ data }) => data)).toEqual([
      { limit: "wallClockMs", allowed: 1_000 },
    ]);
    expect(around.events.types().slice(-2)).toEqual(["limit.reached", "run.failed"]);
    expect(run.elapsedMs).toBe(1_000);
    expect(model.calls[0]?.state).toBe("failed");
    expect(around.clock.timers).toBe(0);
  });

  it("ends a run that hangs in tools, and starts nothing more (LIM-04, LIM-06)", async () => {
    const around = testSurroundings();
    const slow = hangingTool({ name: "slow", input: z.object({}), policy: { effect: "write" } });
    const model = scriptedModel([{ toolCalls: [{ name: "slow" }, { name: "slow" }] }]);
    const failing = failureOf(
      createAgent({ name: "a", model, tools: [slow], limits: { wallClockMs: 50 }, ...around }).invoke("go"),
    );
    await slow.called();
    await around.clock.advance(50);
    const { error, run } = await failing;
    expect(error.details).toMatchObject({ limit: "wallClockMs" });
    expect(slow).toMatchObject({ aborted: 1, calls: { length: 1 } });
    expect(model.calls).toHaveLength(1);
    expect(resultStatuses(run.messages)).toEqual(["slow#call_1 not_run", "slow#call_2 not_run"]);
    expect(around.clock.timers).toBe(0);
  });

  it("is not said to be up when a run was cancelled for another reason (LIM-06)", async () => {
    const around = testSurroundings();
    const model = scriptedModel([{ hang: true }]);
    const child = createAgent({ name: "child", model, limits: { wallClockMs: 5_000 } });
    const parent = createAgent({
      name: "parent",
      model: scriptedModel([{ toolCalls: [{ name: "child", args: { task: "x" } }] }]),
      tools: [child.asTool({ description: "x" })],
      ...around,
    });
    const controller = new AbortController();
    const failing = failureOf(parent.invoke("go", { signal: controller.signal }));
    await model.called();
    controller.abort();
    expect((await failing).error.code).toBe("cancelled");
    expect(around.events.ofType("limit.reached")).toEqual([]);
  });

  it("ends a run that waits for its next attempt (LIM-04)", async () => {
    const around = testSurroundings();
    const busy = new TinyAgentsError("provider_overloaded", "busy", {
      details: { provider: "test", retryAfterMs: 90_000 },
    });
    const model = scriptedModel([{ error: busy }]);
    const failing = failureOf(createAgent({ name: "a", model, limits: { wallClockMs: 500 }, ...around }).invoke("go"));
    await around.events.seen("retry.scheduled");
    await around.clock.advance(500);
    const { error } = await failing;
    expect(error.details).toMatchObject({ limit: "wallClockMs" });
    expect(model.calls).toHaveLength(1);
    expect(around.clock.timers).toBe(0);
  });

  it("asks nobody when no time is left (LIM-04, LIM-06)", async () => {
    const around = testSurroundings();
    const model = scriptedModel([{ hang: true }, "never"]);
    const agent = createAgent({ name: "a", model, limits: { wallClockMs: 100 }, ...around });
    const failing = failureOf(agent.invoke("go"));
    await model.called();
    await around.clock.advance(100);
    const { run } = await failing;
    around.events.clear();
    const { error } = await failureOf(agent.resume(run.state));
    expect(error.details).toMatchObject({ limit: "wallClockMs" });
    expect(model.calls).toHaveLength(1);
    expect(around.events.types()).toEqual(["run.started", "limit.reached", "run.failed"]);
  });

  it("goes on with more time, the time that was used counted, and time between left out (LIM-04)", async () => {
    const around = testSurroundings();
    const model = scriptedModel([{ hang: true }, { hang: true }]);
    const agent = createAgent({ name: "a", model, limits: { wallClockMs: 100 }, ...around });
    const first = failureOf(agent.invoke("go"));
    await model.called();
    await around.clock.advance(100);
    const { run } = await first;
    await around.clock.advance(1_000_000);
    const second = failureOf(agent.resume(run.state, { limits: { wallClockMs: 150 } }));
    await model.called(2);
    await around.clock.advance(49);
    expect(model.calls[1]?.state).toBe("running");
    await around.clock.advance(1);
    expect((await second).run.elapsedMs).toBe(150);
  });

  it("holds for a run that is driven step by step (LIM-04, LOOP-14)", async () => {
    const around = testSurroundings();
    const model = scriptedModel([{ hang: true }]);
    const agent = createAgent({ name: "a", model, limits: { wallClockMs: 100 }, ...around });
    let state = agent.initialState("go");
    while (state.phase !== "dispatch") state = await agent.step(state);
    const moving = agent.step(state);
    await model.called();
    await around.clock.advance(100);
    expect(await moving).toMatchObject({ phase: "failed", error: { details: { limit: "wallClockMs" } } });
    expect(around.clock.timers).toBe(0);
  });

  it("ends also what ignores it, after the grace, and says who did (LIM-04)", async () => {
    const around = testSurroundings();
    const deaf = hangingTool({ name: "deaf", input: z.object({}), ignoreSignal: true });
    const model = scriptedModel([{ toolCalls: [{ name: "deaf" }] }]);
    const given = {
      name: "a",
      model,
      tools: [deaf],
      limits: { wallClockMs: 100 },
      policies: { cancelGraceMs: 40 },
      ...around,
    };
    const failing = failureOf(createAgent(given).invoke("go"));
    await deaf.called();
    await around.clock.advance(139);
    expect(around.events.ofType("run.failed")).toHaveLength(0);
    await around.clock.advance(1);
    const { error, run } = await failing;
    expect(error.details).toMatchObject({ limit: "wallClockMs" });
    expect(checkHistory(run.messages)).toEqual([]);
    expect(around.clock.timers).toBe(0);
  });
});

describe("the time of a model call", () => {
  it("ends the call of a model that honours its signal, and says that it was the call's time (LIM-04, ERR-05)", async () => {
    const around = testSurroundings();
    const model = scriptedModel([{ text: "so far", hang: true }]);
    const failing = failureOf(
      createAgent({ name: "a", model, limits: { modelTimeoutMs: 300 }, policies: NO_RETRY, ...around }).invoke("go"),
    );
    await model.called();
    await around.clock.advance(300);
    const { error } = await failing;
    expect(error).toMatchObject({ code: "timeout", details: { scope: "model_call", limitMs: 300 }, retryable: true });
    expect(model.calls[0]?.state).toBe("failed");
    expect(around.clock.timers).toBe(0);
  });

  it("tries again, each attempt with its own time (LIM-04, ERR-08)", async () => {
    const around = testSurroundings();
    const model = scriptedModel([{ hang: true }, "second try"]);
    const policies = { retry: { initialDelayMs: 10, jitter: "none" } } as const;
    const running = createAgent({ name: "a", model, limits: { modelTimeoutMs: 300 }, policies, ...around }).invoke(
      "go",
    );
    await model.called();
    await around.clock.advance(310);
    expect(await running).toMatchObject({ text: "second try", counters: { retries: 1, modelCalls: 1 } });
    expect(around.clock.timers).toBe(0);
  });

  it("says timeout, whatever an adapter made of its aborted signal (LIM-04, ERR-05)", async () => {
    const endings: Record<string, () => Promise<void>> = {
      throws: () => Promise.reject(new DOMException("This operation was aborted", "AbortError")),
      ends: () => Promise.resolve(),
    };
    for (const [name, end] of Object.entries(endings)) {
      const around = testSurroundings();
      const begun = latch();
      const model = {
        ...scriptedModel([]),
        async *stream(_: unknown, { signal }: { signal: AbortSignal | undefined }): AsyncGenerator<never, void, void> {
          begun.resolve();
          await new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve()));
          await end();
        },
      };
      const failing = failureOf(
        createAgent({ name: "a", model, limits: { modelTimeoutMs: 300 }, policies: NO_RETRY, ...around }).invoke("go"),
      );
      await begun.promise;
      await around.clock.advance(300);
      const { error } = await failing;
      expect({ name, code: error.code, details: error.details }).toMatchObject({
        name,
        code: "timeout",
        details: { scope: "model_call" },
      });
    }
  });

  it.each<[string, (late: Latch<void>) => void]>([
    ["never comes back", () => {}],
    ["fails late", (late) => late.reject(new TinyAgentsError("network", "reset", { details: {} }))],
    ["answers late", (late) => late.resolve()],
  ])(
    "leaves a model behind that ignores its signal and %s: nothing begins or changes after that (LIM-04, LIM-06)",
    async (_, comeBack) => {
      const around = testSurroundings();
      const late = latch();
      const model = stubbornModel([{ text: "part", gate: late.promise }]);
      const limits = { modelTimeoutMs: 300 };
      const policies = { cancelGraceMs: 100 };
      const failing = failureOf(createAgent({ name: "a", model, limits, policies, ...around }).invoke("go"));
      await model.waiting();
      await around.clock.advance(500);
      const { error, run } = await failing;
      expect(error).toMatchObject({ code: "timeout", details: { scope: "model_call", limitMs: 300 } });
      const before = { events: around.events.types(), state: JSON.stringify(run.state) };
      comeBack(late);
      await quiet();
      await around.clock.advance(600_000);
      expect({ events: around.events.types(), state: JSON.stringify(run.state) }).toEqual(before);
      expect([model.calls, around.clock.timers]).toEqual([1, 0]);
    },
  );

  it("takes the time of the request where that has one (LIM-04)", async () => {
    const around = testSurroundings();
    const model = scriptedModel([{ hang: true }]);
    const hurry = {
      name: "hurry",
      beforeModel: (request: object) => ({ replace: { ...request, timeoutMs: 20 } as never }),
    };
    const failing = failureOf(
      createAgent({ name: "a", model, middleware: [hurry], policies: NO_RETRY, ...around }).invoke("go"),
    );
    await model.called();
    await around.clock.advance(20);
    expect((await failing).error.details).toMatchObject({ scope: "model_call", limitMs: 20 });
  });
});

describe("the time of a tool call", () => {
  it("tells the model of a timeout, and goes on (AL-08, LIM-04)", async () => {
    const around = testSurroundings();
    const slow = hangingTool({ name: "slow", input: z.object({}) });
    const model = scriptedModel([{ toolCalls: [{ name: "slow" }] }, "It took too long."]);
    const running = createAgent({ name: "a", model, tools: [slow], limits: { toolTimeoutMs: 250 }, ...around }).invoke(
      "go",
    );
    await slow.called();
    await around.clock.advance(250);
    const run = await running;
    expect(run.text).toBe("It took too long.");
    expect(resultStatuses(run.messages)).toEqual(["slow#call_1 timeout"]);
    expect(slow.aborted).toBe(1);
    expect(around.events.ofType("tool.failed")[0]?.data).toMatchObject({
      status: "timeout",
      elapsedMs: 250,
      error: { code: "timeout", details: { scope: "tool_call", limitMs: 250, name: "slow" } },
    });
    expect(around.clock.timers).toBe(0);
  });

  it("has a default, so that no tool can block a run for ever (AL-08)", async () => {
    const around = testSurroundings();
    const slow = hangingTool({ name: "slow", input: z.object({}), ignoreSignal: true });
    const model = scriptedModel([{ toolCalls: [{ name: "slow" }] }, "It took too long."]);
    const running = createAgent({ name: "a", model, tools: [slow], ...around }).invoke("go");
    await slow.called();
    await around.clock.advance(600_000);
    expect((await running).text).toBe("It took too long.");
  });

  it("lets a tool's own deadline win over the agent's, and does not hold up its siblings (AL-08)", async () => {
    const around = testSurroundings();
    const slow = hangingTool({ name: "slow", input: z.object({}), policy: { effect: "none", timeoutMs: 10 } });
    const quick = fakeTool({ name: "quick", input: z.object({}) });
    const model = scriptedModel([{ toolCalls: [{ name: "slow" }, { name: "quick" }] }, "Done."]);
    const running = createAgent({ name: "a", model, tools: [slow, quick], ...around }).invoke("go");
    await quick.called();
    await around.clock.advance(10);
    expect(resultStatuses((await running).messages)).toEqual(["slow#call_1 timeout", "quick#call_2 ok"]);
  });

  it.each(["resolves", "rejects"])(
    "ignores a tool that %s after its time, and what it reports then (AL-08)",
    async (how) => {
      const around = testSurroundings();
      const late = latch<string>();
      let report: (() => void) | undefined;
      const slow = fakeTool({
        name: "slow",
        input: z.object({}),
        execute: (_, runtime) => {
          report = () => runtime.progress("late");
          return late.promise;
        },
      });
      const model = scriptedModel([{ toolCalls: [{ name: "slow" }] }, "It took too long."]);
      const running = createAgent({
        name: "a",
        model,
        tools: [slow],
        limits: { toolTimeoutMs: 250 },
        ...around,
      }).stream("go");
      const items: string[] = [];
      const reading = (async () => {
        for await (const item of running) items.push(item.type);
      })();
      await slow.called();
      await around.clock.advance(250);
      await reading;
      const before = around.events.types();
      report?.();
      if (how === "resolves") late.resolve("too late");
      else late.reject(new Error("too late"));
      await quiet();
      expect(around.events.types()).toEqual(before);
      expect(items).not.toContain("tool_progress");
      expect(around.clock.timers).toBe(0);
    },
  );

  it("repeats a call that timed out where its policy says so, each attempt with its own time (LIM-04)", async () => {
    const around = testSurroundings();
    let attempts = 0;
    const slow = fakeTool({
      name: "slow",
      input: z.object({}),
      policy: { effect: "read", timeoutMs: 100, retry: { maxAttempts: 2, initialDelayMs: 10, jitter: "none" } },
      execute: () => (++attempts === 1 ? new Promise(() => {}) : "ok"),
    });
    const model = scriptedModel([{ toolCalls: [{ name: "slow" }] }, "Done."]);
    const running = createAgent({ name: "a", model, tools: [slow], ...around }).invoke("go");
    await slow.called();
    await around.clock.advance(110);
    const run = await running;
    expect(resultStatuses(run.messages)).toEqual(["slow#call_1 ok"]);
    expect(slow.calls.map(({ attempt }) => attempt)).toEqual([1, 2]);
    expect(run.counters.retries).toBe(1);
    expect(around.clock.timers).toBe(0);
  });
});
