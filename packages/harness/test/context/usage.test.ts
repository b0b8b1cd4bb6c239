import { type ModelPrice, type PriceSource, TinyAgentsError, type Usage } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { eventRecorder, fakeTool, hangingTool, scriptedModel, testSurroundings, toArray } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";
import { failureOf } from "../support/failures.js";

const call = { toolCalls: [{ name: "look" }] };
const look = () => fakeTool({ name: "look" });

describe("usage", () => {
  const full: Usage = {
    inputTokens: 100,
    outputTokens: 40,
    cachedInputTokens: 60,
    cacheWriteTokens: 10,
    reasoningTokens: 15,
    imageTokens: 7,
    audioTokens: 3,
    source: "reported",
  };

  test("has every class that the provider told, in response, event and totals, streamed or not (USG-01, USG-05)", async () => {
    for (const streamed of [false, true]) {
      const events = eventRecorder();
      const agent = createAgent({ name: "a", model: scriptedModel([{ text: "hi", usage: full }]), events });
      const items = streamed ? await toArray(agent.stream("Go.", { modes: ["messages", "final"] })) : [];
      const final = items.at(-1);
      const run = final?.type === "final" ? final.run : await agent.invoke("Go.");
      const { source: _, ...classes } = full;
      expect(run.usage).toMatchObject({ ...classes, totalTokens: 140, modelCalls: 1 });
      expect(run.messages.at(-1)).toMatchObject({ usage: full });
      expect(events.ofType("usage.recorded")[0]?.data.usage).toEqual(full);
      expect(events.ofType("model.completed")[0]?.data.usage).toEqual(full);
    }
  });

  test("says whether it was reported, estimated or never told (USG-02)", async () => {
    const model = scriptedModel([
      { ...call, usage: { inputTokens: 5, outputTokens: 5 } },
      { ...call, usage: { inputTokens: 5, outputTokens: 5, source: "estimated" } },
      "no word of it",
    ]);
    const { usage } = await createAgent({ name: "a", model, tools: [look()] }).invoke("Go.");
    expect(usage).toMatchObject({ totalTokens: 20, modelCalls: 3, estimatedCalls: 1, unknownCalls: 1 });
  });

  test("counts model calls and tool calls, and groups by model (USG-03)", async () => {
    const model = scriptedModel(
      [
        { toolCalls: [{ name: "look" }, { name: "look" }], usage: { inputTokens: 2, outputTokens: 1 } },
        { text: "ok", usage: { inputTokens: 4, outputTokens: 1 } },
      ],
      { id: "test/one" },
    );
    const run = await createAgent({ name: "a", model, tools: [look()] }).invoke("Go.");
    expect(run.usage).toMatchObject({ modelCalls: 2, toolCalls: 2 });
    expect(run.usageByModel).toMatchObject([{ model: { id: "test/one" }, usage: { totalTokens: 8, modelCalls: 2 } }]);
  });

  test("of a run that was cut off in a batch counts the calls that had begun (USG-03)", async () => {
    const hanging = hangingTool({ name: "hang" });
    const model = scriptedModel([{ toolCalls: [{ name: "hang" }] }]);
    const controller = new AbortController();
    const running = failureOf(
      createAgent({ name: "a", model, tools: [hanging] }).invoke("Go.", { signal: controller.signal }),
    );
    await hanging.called();
    controller.abort();
    const { run } = await running;
    expect([run.usage.toolCalls, run.treeUsage.toolCalls, run.counters.toolCalls]).toEqual([1, 1, 1]);
  });

  test("of all attempts at a call is in the call's, the last attempt's own in its message (USG-06, MW-07)", async () => {
    const { clock, events } = testSurroundings();
    const model = scriptedModel([
      {
        text: "h",
        error: new TinyAgentsError("network", "reset", { details: {} }),
        usage: { inputTokens: 5, outputTokens: 1 },
      },
      { text: "hi", usage: { inputTokens: 5, outputTokens: 2 } },
    ]);
    const running = createAgent({ name: "a", model, events }).invoke("Go.", { clock });
    await clock.advance(60_000);
    const run = await running;
    expect(run.usage).toMatchObject({ inputTokens: 10, outputTokens: 3, modelCalls: 1 });
    expect(run.messages.at(-1)).toMatchObject({ usage: { inputTokens: 5, outputTokens: 2 } });
    expect(events.ofType("usage.recorded")).toHaveLength(1);
  });

  test("how full the context is, is told to middleware that asks, by the agent's counter (USG-04)", async () => {
    const estimates: unknown[] = [];
    const agent = createAgent({
      name: "a",
      model: scriptedModel(["hi"], { profile: { contextWindow: 1_000, maxOutputTokens: 500 } }),
      countTokens: (text) => text.length,
      middleware: [
        { name: "m", beforeModel: (request, context) => void estimates.push(context.estimateContext(request)) },
      ],
    });
    await agent.invoke("x".repeat(96));
    expect(estimates).toEqual([{ inputTokens: 100, contextWindow: 1_000, pressure: 0.2 }]);
  });

  test("how full the context was, is told with each answer whose tokens are known, of the model that gave it (USG-04)", async () => {
    const events = eventRecorder();
    const told = () => events.ofType("model.completed").map(({ data }) => data.context);
    const usage = { inputTokens: 100, outputTokens: 5 };
    const profile = { contextWindow: 1_000, maxOutputTokens: 500 };
    const model = scriptedModel([{ text: "hi", usage }, "hi"], { profile });
    const agent = createAgent({ name: "a", model, events });
    await agent.invoke("Hi.");
    await agent.invoke("Hi.");
    expect(told()).toEqual([{ inputTokens: 100, contextWindow: 1_000, pressure: 0.2 }, undefined]);
    events.clear();
    const error = new TinyAgentsError("provider_overloaded", "Busy.", { details: { provider: "test" } });
    const policies = { retry: { maxAttempts: 1 } };
    const down = scriptedModel([{ error }], { profile, id: "test/down" });
    const other = scriptedModel([{ text: "hi", usage }], {
      profile: { ...profile, contextWindow: 200 },
      id: "test/other",
    });
    await createAgent({ name: "a", model: down, fallbacks: [other], policies, events }).invoke("Hi.");
    expect(told()).toEqual([{ inputTokens: 100, contextWindow: 200, pressure: 1 }]);
  });
});

describe("cost", () => {
  const price: ModelPrice = {
    currency: "USD",
    inputPerMillion: "2",
    outputPerMillion: "10",
    cachedInputPerMillion: "0.5",
  };
  const usage = { inputTokens: 1_000, outputTokens: 100, cachedInputTokens: 400 };
  const priced = (
    priceOf: PriceSource["priceOf"],
    script = [
      { ...call, usage },
      { text: "hi", usage },
    ],
  ) => {
    const events = eventRecorder();
    const agent = createAgent({
      name: "a",
      model: scriptedModel(script),
      tools: [look()],
      prices: { priceOf },
      events,
    });
    return { events, run: agent.invoke("Go.") };
  };

  test("is computed per call from a table of the application's, cached tokens at their price, and summed (CST-02, USG-05)", async () => {
    const { run, events } = priced(() => price);
    // 600 at 2, 400 at 0.5 and 100 at 10 per million.
    expect(events.ofType("cost.recorded").map(({ data }) => data.cost)).toEqual([]);
    expect((await run).cost).toEqual({
      amount: "0.0048",
      currency: "USD",
      charged: "0",
      estimated: "0.0048",
      unpricedCalls: 0,
    });
    expect(events.ofType("cost.recorded").map(({ data }) => data.cost)).toEqual([
      { amount: "0.0024", currency: "USD", source: "estimated" },
      { amount: "0.0024", currency: "USD", source: "estimated" },
    ]);
  });

  test("may come from a table that changes while runs go on (CST-01)", async () => {
    const table: { price?: ModelPrice } = {};
    const agent = createAgent({
      name: "a",
      model: scriptedModel([
        { text: "hi", usage },
        { text: "hi", usage },
      ]),
      prices: { priceOf: () => table.price },
    });
    expect((await agent.invoke("Go.")).cost).toBeUndefined();
    table.price = price;
    expect((await agent.invoke("Go.")).cost?.amount).toBe("0.0024");
  });

  test("of a call without a price, or without known usage, is unpriced, and reported as such (CST-06)", async () => {
    let asked = 0;
    const { run, events } = priced(() => (++asked === 1 ? undefined : price));
    expect((await run).cost).toEqual({
      amount: "0.0024",
      currency: "USD",
      charged: "0",
      estimated: "0.0024",
      unpricedCalls: 1,
    });
    expect(events.ofType("cost.recorded").map(({ data }) => "cost" in data)).toEqual([false, true]);
    const unknown = await priced(() => price, [{ ...call, usage }, { text: "hi" } as never]).run;
    expect(unknown.cost).toMatchObject({ amount: "0.0024", unpricedCalls: 1 });
    const none = await priced(() => undefined).run;
    expect(none.cost).toBeUndefined();
    expect(none.state.unpricedCalls).toBe(2);
  });

  test("in another currency than the first is not added to it, and not lost either (CST-02, CST-06)", async () => {
    let asked = 0;
    const { run, events } = priced(() => (++asked === 1 ? price : { ...price, currency: "EUR" }));
    expect((await run).cost).toEqual({
      amount: "0.0024",
      currency: "USD",
      charged: "0",
      estimated: "0.0024",
      unpricedCalls: 1,
    });
    expect(events.ofType("cost.recorded")[1]?.data.cost).toEqual({
      amount: "0.0024",
      currency: "EUR",
      source: "estimated",
    });
  });

  test("stands with tokens, calls and time in the result, for a footer (CST-07)", async () => {
    const { run } = priced(() => price);
    const { usage: totals, cost, counters, elapsedMs, status } = await run;
    expect([status, totals.totalTokens, cost?.amount, counters.modelCalls, typeof elapsedMs]).toEqual([
      "completed",
      2_200,
      "0.0048",
      2,
      "number",
    ]);
  });
});

describe("a run of many steps", () => {
  test("keeps what its history needs, not bodies of requests: twice the steps, twice the state (PF-04)", async () => {
    const sizeOf = async (steps: number) => {
      const script = Array.from({ length: steps }, (_, at) => ({ toolCalls: [{ name: "look", args: { at } }], usage }));
      const model = scriptedModel([...script, { text: "done", usage }]);
      const limits = { maxModelCalls: steps + 1, maxToolCalls: steps };
      const run = await createAgent({ name: "a", model, tools: [look()], limits }).invoke("Go.");
      expect(run.messages).toHaveLength(2 * steps + 2);
      return JSON.stringify(run.state).length - JSON.stringify(run.messages).length;
    };
    const [fifty, hundred] = [await sizeOf(50), await sizeOf(100)];
    expect(hundred - fifty).toBeLessThan(200);
  });

  const usage = { inputTokens: 10, outputTokens: 1 };
});
