import { type ChatModel, type PriceSource, TinyAgentsError, type Usage } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { eventRecorder, fakeTool, scriptedModel, testSurroundings } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";
import { keptRuns } from "../support/kept-runs.js";

const ask = (...names: string[]) => ({ toolCalls: names.map((name) => ({ name, args: { task: "Look." } })) });
const tokens = (inputTokens: number, outputTokens: number) => ({ usage: { inputTokens, outputTokens } });
const network = () => new TinyAgentsError("network", "reset", { details: {} });
const refused = () => new TinyAgentsError("provider_bad_request", "no", { details: { provider: "test" } });

/** A model whose reported tokens are added up, attempt by attempt. */
function metered(model: ChatModel, meter: { calls: number; total: number }): ChatModel {
  return {
    id: model.id,
    profile: model.profile,
    async *stream(request, call) {
      meter.calls++;
      let usage: Usage | undefined;
      try {
        for await (const delta of model.stream(request, call)) {
          if (delta.type === "usage") usage = delta.usage;
          yield delta;
        }
      } finally {
        meter.total += (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0);
      }
    },
  };
}

/** Three levels, a repeated call on each, a child that fails, and two children at once. */
function tree(meter: { calls: number; total: number }, prices?: PriceSource) {
  const priced = prices === undefined ? {} : { prices };
  const leaf = createAgent({
    name: "leaf",
    model: metered(
      scriptedModel(
        [
          { text: "x", error: network(), ...tokens(1, 2) },
          { text: "leaf", ...tokens(3, 4) },
          { text: "leaf", ...tokens(5, 6) },
        ],
        { id: "test/small" },
      ),
      meter,
    ),
    ...priced,
  });
  const failing = createAgent({
    name: "failing",
    model: metered(
      scriptedModel([
        { ...ask("leaf"), ...tokens(7, 8) },
        { text: "y", error: refused(), ...tokens(9, 10) },
      ]),
      meter,
    ),
    tools: [leaf.asTool({ description: "Looks." })],
    ...priced,
  });
  const middle = createAgent({
    name: "middle",
    model: metered(
      scriptedModel([
        { error: network(), ...tokens(11, 12) },
        { ...ask("leaf"), ...tokens(13, 14) },
        { text: "middle", ...tokens(15, 16) },
      ]),
      meter,
    ),
    tools: [leaf.asTool({ description: "Looks." })],
    ...priced,
  });
  const top = createAgent({
    name: "top",
    model: metered(
      scriptedModel(
        [
          { ...ask("middle", "failing"), ...tokens(17, 18) },
          { text: "done", ...tokens(19, 20) },
        ],
        { id: "test/large" },
      ),
      meter,
    ),
    tools: [middle.asTool({ description: "m" }), failing.asTool({ description: "f" })],
    ...priced,
  });
  return top;
}

async function runTree(prices?: PriceSource) {
  const meter = { calls: 0, total: 0 };
  const { clock } = testSurroundings();
  const events = eventRecorder();
  const running = tree(meter, prices).invoke("Go.", { clock, events, runId: "r" });
  // Schemas are loaded meanwhile, so one move of the clock is not enough.
  for (let i = 0; i < 40; i++) await clock.advance(1_000);
  return { run: await running, meter, events };
}

describe("the usage of a tree of runs", () => {
  test("is the sum of all model calls, each counted once: repeats, a failed child and its children too (OB-04, USG-06)", async () => {
    const { run, meter } = await runTree();
    expect(run.usage.totalTokens).toBe(17 + 18 + 19 + 20);
    expect(run.treeUsage.totalTokens).toBe(meter.total);
    expect(meter.total).toBe(210);
    expect(run.treeUsage).toMatchObject({ modelCalls: 8, toolCalls: 4, unknownCalls: 0 });
  });

  test("is grouped by model across the tree (USG-03)", async () => {
    const { run, meter } = await runTree();
    const lines = Object.fromEntries(run.usageByModel.map(({ model, usage }) => [model.id, usage.totalTokens]));
    expect(Object.keys(lines).sort()).toEqual(["test/large", "test/scripted", "test/small"]);
    expect(lines["test/small"]).toBe(1 + 2 + 3 + 4 + 5 + 6);
    expect(Object.values(lines).reduce((sum, count) => sum + count, 0)).toBe(meter.total);
  });

  test("is what the events of each run add up to (USG-06, EVT-07)", async () => {
    const { run, events } = await runTree();
    let total = 0;
    for (const { data } of events.ofType("usage.recorded")) {
      total += (data.usage?.inputTokens ?? 0) + (data.usage?.outputTokens ?? 0);
    }
    expect(total).toBe(run.treeUsage.totalTokens);
  });

  test("counts against the parent's limit of tokens (SUB-01)", async () => {
    const child = createAgent({ name: "child", model: scriptedModel([{ text: "x", ...tokens(90, 10) }]) });
    const parent = createAgent({
      name: "parent",
      model: scriptedModel([{ ...ask("child"), ...tokens(5, 5) }, "never"]),
      tools: [child.asTool({ description: "x" })],
      limits: { maxTotalTokens: 110 },
    });
    await expect(parent.invoke("Go.")).rejects.toMatchObject({ code: "limit_exceeded" });
  });

  test("counts each attempt at a child once, with a recorder or without (OB-04)", async () => {
    for (const recorder of [undefined, keptRuns()]) {
      const meter = { calls: 0, total: 0 };
      const events = eventRecorder();
      const child = createAgent({
        name: "child",
        model: metered(
          scriptedModel([
            { ...ask("look"), ...tokens(1, 2) },
            { text: "x", error: network(), ...tokens(3, 4) },
            { text: "fog", ...tokens(5, 6) },
          ]),
          meter,
        ),
        tools: [fakeTool({ name: "look" })],
        policies: { retry: { maxAttempts: 1 } },
      });
      const policy = { retry: { maxAttempts: 2, initialDelayMs: 0 } };
      const parent = createAgent({
        name: "parent",
        model: metered(
          scriptedModel([
            { ...ask("child"), ...tokens(7, 8) },
            { text: "done", ...tokens(9, 10) },
          ]),
          meter,
        ),
        tools: [child.asTool({ description: "x", policy })],
        events,
        recorder,
      });
      const run = await parent.invoke("Go.", { runId: "r" });
      expect(run.text).toBe("done");
      expect(run.treeUsage.totalTokens).toBe(meter.total);
      const ids = events.events.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
    }
  });

  test("is counted once when a child pauses and goes on in another process (OB-04)", async () => {
    const pay = fakeTool({ name: "pay", policy: { approval: "always" } });
    const make = () => {
      const child = createAgent({
        name: "child",
        model: scriptedModel([
          ({ messages }) =>
            messages.length > 1 ? { text: "paid", ...tokens(3, 4) } : { toolCalls: [{ name: "pay" }], ...tokens(1, 2) },
        ]),
        tools: [pay],
        approver: { decide: () => "ask" },
      });
      return createAgent({
        name: "parent",
        model: scriptedModel([
          ({ messages }) =>
            messages.length > 1 ? { text: "done", ...tokens(7, 8) } : { ...ask("child"), ...tokens(5, 6) },
        ]),
        tools: [child.asTool({ description: "x" })],
      });
    };
    const paused = await make().invoke("Go.");
    const answers = { [paused.requests[0]?.id ?? ""]: { approve: true } };
    const run = await make().resume(JSON.parse(JSON.stringify(paused.state)), { answers });
    expect(run.treeUsage).toMatchObject({ totalTokens: 36, modelCalls: 4, toolCalls: 2 });
  });
});

describe("the cost of a tree of runs", () => {
  const perMillion = (input: string, output: string, currency = "USD") => ({
    currency,
    inputPerMillion: input,
    outputPerMillion: output,
  });

  test("follows its runs up to the top (CST-07)", async () => {
    const { run, meter } = await runTree({ priceOf: () => perMillion("1000000", "1000000") });
    expect(run.cost).toEqual({
      amount: `${meter.total}`,
      currency: "USD",
      charged: "0",
      estimated: `${meter.total}`,
      unpricedCalls: 0,
    });
  });

  test("counts calls without a price as unpriced, never as free (CST-06, CST-07)", async () => {
    const prices: PriceSource = {
      priceOf: ({ id }) => (id === "test/large" ? perMillion("1000000", "1000000") : undefined),
    };
    const { run } = await runTree(prices);
    expect(run.cost).toEqual({ amount: "74", currency: "USD", charged: "0", estimated: "74", unpricedCalls: 6 });
  });

  test("of a child without prices is had by its parent's, and a parent without is unpriced above a child that has some (CST-06, CTX-03)", async () => {
    const costOf = async (parentPrices: boolean, childPrices: boolean) => {
      const prices = { priceOf: () => perMillion("1000000", "1000000") };
      const child = createAgent({
        name: "child",
        model: scriptedModel([{ text: "x", ...tokens(1, 2) }]),
        ...(childPrices ? { prices } : {}),
      });
      const parent = createAgent({
        name: "parent",
        model: scriptedModel([
          { ...ask("child"), ...tokens(3, 4) },
          { text: "y", ...tokens(5, 6) },
        ]),
        tools: [child.asTool({ description: "x" })],
        ...(parentPrices ? { prices } : {}),
      });
      return (await parent.invoke("Go.")).cost;
    };
    expect(await costOf(true, true)).toEqual({
      amount: "21",
      currency: "USD",
      charged: "0",
      estimated: "21",
      unpricedCalls: 0,
    });
    expect(await costOf(true, false)).toEqual({
      amount: "21",
      currency: "USD",
      charged: "0",
      estimated: "21",
      unpricedCalls: 0,
    });
    expect(await costOf(false, true)).toEqual({
      amount: "3",
      currency: "USD",
      charged: "0",
      estimated: "3",
      unpricedCalls: 2,
    });
    expect(await costOf(false, false)).toBeUndefined();
  });
});
