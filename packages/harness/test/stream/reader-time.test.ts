import { tool } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { scriptedModel, streamingModel, testSurroundings, toArray } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { latch } from "../support/stubborn.js";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

const counting = tool({
  name: "count",
  description: "Counts, and tells of each number.",
  input: z.object({}),
  async *execute() {
    for (let i = 1; i <= 5; i++) yield i;
    return "done";
  },
});

describe("the time that a reader takes", () => {
  test("does not count against the model call that it holds up (STM-06, LIM-04)", async () => {
    const around = testSurroundings();
    const model = streamingModel({ text: "abcdefgh" });
    const agent = createAgent({ name: "a", model, limits: { modelTimeoutMs: 100 }, ...around });
    const stream = agent.stream("Go.", { modes: ["final", "messages"] });
    await stream.next();
    await around.clock.advance(60_000);
    await stream.next();
    await around.clock.advance(60_000);
    expect((await toArray(stream)).at(-1)).toMatchObject({
      type: "final",
      run: { text: "abcdefgh", counters: { retries: 0 } },
    });
    expect(around.clock.timers).toBe(0);
  });

  test("leaves the model the time that it has not used, and no more (STM-06, LIM-04)", async () => {
    const around = testSurroundings();
    const model = scriptedModel([{ text: "abc", hang: true }], { split: "characters" });
    const agent = createAgent({
      name: "a",
      model,
      limits: { modelTimeoutMs: 100 },
      policies: { retry: { maxAttempts: 1 } },
      ...around,
    });
    const stream = agent.stream("Go.", { modes: ["messages"] });
    await stream.next();
    await around.clock.advance(60_000);
    const failing = expect(toArray(stream)).rejects.toMatchObject({
      code: "timeout",
      details: { scope: "model_call", limitMs: 100 },
    });
    await turn();
    await around.clock.advance(99);
    expect(around.events.ofType("model.failed")).toHaveLength(0);
    await around.clock.advance(1);
    await failing;
  });

  test("does not count against the tool that it holds up (STM-06, LIM-04)", async () => {
    const around = testSurroundings();
    const model = scriptedModel([{ toolCalls: [{ name: "count" }] }, "counted"]);
    const agent = createAgent({ name: "a", model, tools: [counting], limits: { toolTimeoutMs: 100 }, ...around });
    const stream = agent.stream("Go.", { modes: ["tools"] });
    await stream.next();
    await stream.next();
    await around.clock.advance(60_000);
    const rest = await toArray(stream);
    expect(rest.map(({ type }) => type)).toEqual([...Array(4).fill("tool_progress"), "tool_result"]);
    expect(rest.at(-1)).toMatchObject({ result: { status: "ok" } });
    expect(around.clock.timers).toBe(0);
  });

  test("is that of an awaited emit too (STM-06, LIM-04)", async () => {
    const around = testSurroundings();
    const taken = latch();
    const agent = createAgent({
      name: "a",
      model: streamingModel({ text: "abc" }),
      limits: { modelTimeoutMs: 100 },
      ...around,
    });
    let state = agent.initialState("Go.");
    while (state.phase !== "dispatch") state = await agent.step(state);
    const moving = agent.step(state, { emit: () => taken.promise });
    await around.clock.advance(60_000);
    taken.resolve();
    expect(await moving).toMatchObject({ phase: "parse", counters: { retries: 0 } });
  });

  test("is time of the run: one that never comes back does not keep it alive beyond its wall clock (STM-06, LIM-04)", async () => {
    const around = testSurroundings();
    const model = streamingModel({ text: "abcdefgh" });
    const agent = createAgent({ name: "a", model, limits: { wallClockMs: 1_000 }, ...around });
    const stream = agent.stream("Go.", { modes: ["messages"] });
    await stream.next();
    await around.clock.advance(999);
    expect(around.events.ofType("run.failed")).toHaveLength(0);
    await around.clock.advance(1);
    expect(around.events.ofType("run.failed")[0]?.data.error).toMatchObject({ code: "limit_exceeded" });
    expect(around.clock.timers).toBe(0);
    await expect(toArray(stream)).rejects.toMatchObject({ code: "limit_exceeded", details: { limit: "wallClockMs" } });
  });

  test("ends with the run: a cancelled one waits for no reader, and blames nobody else (STM-06)", async () => {
    const around = testSurroundings();
    const stop = new AbortController();
    const agent = createAgent({ name: "a", model: streamingModel({ text: "abc" }), ...around });
    let state = agent.initialState("Go.");
    while (state.phase !== "dispatch") state = await agent.step(state);
    const moving = agent.step(state, { emit: () => new Promise(() => {}), signal: stop.signal });
    await turn();
    stop.abort();
    const ended = await moving;
    expect(ended).toMatchObject({ phase: "failed", error: { code: "cancelled" } });
    expect(ended.error?.details).not.toHaveProperty("ignoredBy");
    expect(around.clock.timers).toBe(0);
  });
});
