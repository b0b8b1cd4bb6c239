import { type Middleware, TinyAgentsError } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { eventRecorder, fakeTool, scriptedModel, testSurroundings } from "@tinyagents/testkit";
import { expect, it } from "vitest";
import { z } from "zod";
import { failureOf } from "../support/failures.js";
import { resultStatuses } from "../support/transcript.js";

const reset = new TinyAgentsError("network", "reset", { details: {} });
const policies = { retry: { maxAttempts: 10, initialDelayMs: 1, jitter: "none", factor: 1 } } as const;
const once = { retry: { ...policies.retry, initialDelayMs: 0 } } as const;
const flaky = (results: readonly unknown[]): ReturnType<typeof fakeTool> =>
  fakeTool({ name: "work", input: z.object({}), policy: { effect: "read", retry: policies.retry }, results });

it("bounds the retries of a run over all its calls, those of tools too (LIM-05)", async () => {
  const around = testSurroundings();
  const tool = flaky([reset, reset, "ok"]);
  const model = scriptedModel([
    { error: reset },
    { toolCalls: [{ name: "work" }] },
    { error: reset },
    { error: reset },
    "never",
  ]);
  const failing = failureOf(
    createAgent({ name: "a", model, tools: [tool], limits: { maxRetries: 4 }, policies, ...around }).invoke("go"),
  );
  await around.clock.advance(1_000);
  const { error, run } = await failing;
  expect(run.counters.retries).toBe(4);
  expect(tool.calls).toHaveLength(3);
  expect(model.calls).toHaveLength(4);
  expect(error).toMatchObject({
    code: "limit_exceeded",
    details: { limit: "maxRetries", allowed: 4, counters: { retries: 4, modelCalls: 2, toolCalls: 1 } },
    cause: { code: "retry_exhausted", details: { attempts: 2, lastCode: "network" } },
  });
  expect(around.events.ofType("limit.reached").map(({ data }) => data)).toEqual([{ limit: "maxRetries", allowed: 4 }]);
  expect(around.events.types().slice(-3)).toEqual(["model.failed", "limit.reached", "run.failed"]);
  expect(around.clock.timers).toBe(0);
});

it("asks no other model when the retries are used up, whoever wants to (LIM-06)", async () => {
  const spare = scriptedModel(["never"]);
  const events = eventRecorder();
  const again: Middleware = {
    name: "again",
    async *wrapModel(request, _context, next) {
      try {
        yield* next(request);
      } catch {
        yield* next(request);
      }
    },
  };
  for (const middleware of [[], [again]]) {
    const model = scriptedModel([{ error: reset }, { error: reset }, "never"]);
    const options = { name: "a", model, fallbacks: [spare], middleware, limits: { maxRetries: 1 }, events };
    const { error } = await failureOf(createAgent({ ...options, policies: once }).invoke("go"));
    expect(error).toMatchObject({ code: "limit_exceeded", details: { limit: "maxRetries" } });
    expect([model.calls.length, spare.calls.length]).toEqual([2, 0]);
  }
  expect(events.types()).not.toContain("fallback.selected");
});

it("asks once more without tools, where the policy says so, and goes on when it is given more (LIM-06)", async () => {
  const script = [{ error: reset }, { error: reset }, "As far as I got."];
  const finalize = { ...once, onLimit: "finalize" } as const;
  const limits = { maxRetries: 1 };
  const run = await createAgent({ name: "a", model: scriptedModel(script), limits, policies: finalize }).invoke("go");
  expect(run).toMatchObject({ text: "As far as I got.", stop: { by: "limit", name: "maxRetries" } });

  const agent = createAgent({ name: "a", model: scriptedModel(script), limits, policies: once });
  const failed = await failureOf(agent.invoke("go"));
  const resumed = await agent.resume(failed.run.state, { limits: { maxRetries: 5 } });
  expect(resumed).toMatchObject({ status: "completed", text: "As far as I got.", counters: { retries: 1 } });
});

it("ends with its own failure when the last answer fails too (LIM-06)", async () => {
  const model = scriptedModel([{ error: reset }, { error: reset }, { error: reset }, "never"]);
  const finalize = { ...once, onLimit: "finalize" } as const;
  const agent = createAgent({ name: "a", model, limits: { maxRetries: 1 }, policies: finalize });
  expect((await failureOf(agent.invoke("go"))).error.code).toBe("network");
  expect(model.calls).toHaveLength(3);
});

it("lets hooks hear of the limit, not decide to try again (LIM-06)", async () => {
  const heard: string[] = [];
  const model = scriptedModel([{ error: reset }, { error: reset }, "never"]);
  const middleware: Middleware[] = [
    {
      name: "stubborn",
      onError: (error) => {
        heard.push(error.code);
        return { control: { type: "retry" } };
      },
    },
  ];
  const agent = createAgent({ name: "a", model, middleware, limits: { maxRetries: 1 }, policies: once });
  expect((await failureOf(agent.invoke("go"))).error.code).toBe("limit_exceeded");
  expect(heard).toEqual(["limit_exceeded"]);
  expect(model.calls).toHaveLength(2);
});

it("ends the run after the batch when a tool may not be tried again, with its result and nothing begun (LIM-05, LIM-06)", async () => {
  const around = testSurroundings();
  const tool = flaky([reset, reset, "never", "never"]);
  const model = scriptedModel([{ toolCalls: [{ name: "work" }, { name: "work" }] }, "never"]);
  const running = failureOf(
    createAgent({
      name: "a",
      model,
      tools: [tool],
      limits: { maxRetries: 1, maxConcurrency: 1 },
      policies,
      ...around,
    }).invoke("go"),
  );
  await around.clock.advance(1_000);
  const { error, run } = await running;
  expect(error.details).toMatchObject({ limit: "maxRetries", allowed: 1, counters: { retries: 1, modelCalls: 1 } });
  expect(resultStatuses(run.messages)).toEqual(["work#call_1 failed", "work#call_2 not_run"]);
  expect([tool.calls.length, model.calls.length]).toEqual([2, 1]);
  expect(around.events.ofType("limit.reached").map(({ data }) => data)).toEqual([{ limit: "maxRetries", allowed: 1 }]);
});

it("says what failed, and not that a limit did, when no retry at all is allowed (LIM-05)", async () => {
  const model = scriptedModel([{ error: reset }, "never"]);
  const { error } = await failureOf(createAgent({ name: "a", model, limits: { maxRetries: 0 } }).invoke("go"));
  expect(error.code).toBe("network");
  expect(model.calls).toHaveLength(1);
});
