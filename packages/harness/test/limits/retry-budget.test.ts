import { TinyAgentsError } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { fakeTool, scriptedModel, testSurroundings } from "@tinyagents/testkit";
import { expect, it } from "vitest";
import { z } from "zod";
import { failureOf } from "../support/failures.js";

const reset = new TinyAgentsError("network", "reset", { details: {} });
const policies = { retry: { maxAttempts: 10, initialDelayMs: 1, jitter: "none", factor: 1 } } as const;
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
  expect(error).toMatchObject({ code: "retry_exhausted", details: { attempts: 2, lastCode: "network" } });
  expect(around.events.ofType("limit.reached").map(({ data }) => data)).toEqual([{ limit: "maxRetries", allowed: 4 }]);
  expect(around.clock.timers).toBe(0);
});

it("fails a tool call, not the run, when a tool may not be tried again (LIM-05)", async () => {
  const around = testSurroundings();
  const tool = flaky([reset, reset]);
  const model = scriptedModel([{ toolCalls: [{ name: "work" }] }, "It does not work."]);
  const running = createAgent({
    name: "a",
    model,
    tools: [tool],
    limits: { maxRetries: 1 },
    policies,
    ...around,
  }).invoke("go");
  await around.clock.advance(1_000);
  const run = await running;
  expect(run.text).toBe("It does not work.");
  expect(run.counters.retries).toBe(1);
  expect(tool.calls).toHaveLength(2);
});

it("says what failed, and not that a limit did, when no retry at all is allowed (LIM-05)", async () => {
  const model = scriptedModel([{ error: reset }, "never"]);
  const { error } = await failureOf(createAgent({ name: "a", model, limits: { maxRetries: 0 } }).invoke("go"));
  expect(error.code).toBe("network");
  expect(model.calls).toHaveLength(1);
});
