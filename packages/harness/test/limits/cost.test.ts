import type { ChatModel } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { fakeTool, scriptedModel, testSurroundings } from "@tinyagents/testkit";
import { afterEach, expect, it, vi } from "vitest";
import { z } from "zod";
import { latch, quiet } from "../support/stubborn.js";

afterEach(() => {
  vi.unstubAllGlobals();
});

it("has one timer, however many calls have deadlines, and none when they were met (LIM-04)", async () => {
  const around = testSurroundings();
  const gate = latch();
  const tools = [10, 20, 30].map((timeoutMs) =>
    fakeTool({ name: `t${timeoutMs}`, input: z.object({}), policy: { effect: "none", timeoutMs }, gate: gate.promise }),
  );
  const model = scriptedModel([{ toolCalls: [{ name: "t30" }, { name: "t10" }, { name: "t20" }] }, "Done."]);
  const running = createAgent({ name: "a", model, tools, limits: { wallClockMs: 1_000 }, ...around }).invoke("go");
  await Promise.all(tools.map((tool) => tool.called()));
  expect(around.clock.timers).toBe(1);
  gate.resolve();
  await running;
  expect(around.clock.timers).toBe(0);
});

it("fires each deadline at its own time (LIM-04)", async () => {
  const around = testSurroundings();
  const ended: [string, number][] = [];
  const tools = [30, 10, 20].map((timeoutMs) =>
    fakeTool({
      name: `t${timeoutMs}`,
      input: z.object({}),
      policy: { effect: "none", timeoutMs },
      execute: (_, { signal }) =>
        new Promise(() => signal.addEventListener("abort", () => ended.push([`t${timeoutMs}`, around.clock.now()]))),
    }),
  );
  const model = scriptedModel([{ toolCalls: tools.map(({ spec }) => ({ name: spec.name })) }, "Done."]);
  const running = createAgent({ name: "a", model, tools, ...around }).invoke("go");
  await Promise.all(tools.map((tool) => tool.called()));
  await around.clock.advance(100);
  await running;
  expect(ended).toEqual([
    ["t10", 10],
    ["t20", 20],
    ["t30", 30],
  ]);
});

it("makes no controller for a run whose tools and model read no signal (LIM-04)", async () => {
  let made = 0;
  const Real = AbortController;
  vi.stubGlobal(
    "AbortController",
    class extends Real {
      constructor() {
        super();
        made++;
      }
    },
  );
  const { profile } = scriptedModel([]);
  let calls = 0;
  const model: ChatModel = {
    id: "test/plain",
    profile,
    async *stream() {
      calls++;
      if (calls <= 3)
        yield { type: "block", index: 0, block: { type: "tool_call", id: `c${calls}`, name: "work", args: {} } };
      else yield { type: "text", index: 0, text: "Done." };
      yield { type: "finish", finishReason: "stop" };
    },
  };
  const work = fakeTool({ name: "work", input: z.object({}), execute: () => quiet() });
  const run = await createAgent({ name: "a", model, tools: [work], limits: { wallClockMs: 60_000 } }).invoke("go", {
    signal: new Real().signal,
  });
  expect(run.counters.toolCalls).toBe(3);
  expect(made).toBe(0);
});
