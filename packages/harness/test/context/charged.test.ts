import { type ModelPrice, readAgentState, TinyAgentsError, type Usage } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { eventRecorder, fakeTool, scriptedModel, toArray } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";
import { rawModel } from "../support/raw-model.js";

const price: ModelPrice = { currency: "USD", inputPerMillion: "2", outputPerMillion: "10" };
const told = (charged?: string, currency = "USD"): Usage => ({
  inputTokens: 1_000,
  outputTokens: 100,
  source: "reported",
  ...(charged === undefined ? {} : { charged: { amount: charged, currency } }),
});
const answer = (usage: Usage) => [
  { type: "text", index: 0, text: "Hi." },
  { type: "finish", finishReason: "stop", usage },
];
const asking = (usage: Usage, id: string) => [
  { type: "block", index: 0, block: { type: "tool_call", id, name: "look", args: {} } },
  { type: "finish", finishReason: "tool_calls", usage },
];

function agentOf(calls: readonly (readonly unknown[])[]) {
  const events = eventRecorder();
  const agent = createAgent({
    name: "a",
    model: rawModel(calls),
    tools: [fakeTool({ name: "look" })],
    events,
    prices: { priceOf: () => price },
  });
  return { agent, events, costs: () => events.ofType("cost.recorded").map(({ data }) => data.cost) };
}

describe("what a provider charged (CST-05)", () => {
  test("is the cost of its call, and the estimate stands beside it", async () => {
    const { agent, costs } = agentOf([answer(told("0.0025"))]);
    expect((await agent.invoke("Go.")).cost).toEqual({
      amount: "0.0025",
      currency: "USD",
      charged: "0.0025",
      estimated: "0",
      unpricedCalls: 0,
    });
    expect(costs()).toEqual([
      { amount: "0.0025", currency: "USD", source: "charged", estimate: { amount: "0.003", currency: "USD" } },
    ]);
  });

  test("adds up exactly with what was estimated of other calls, and both are told apart", async () => {
    const { agent, costs } = agentOf([asking(told("0.1"), "c1"), asking(told(), "c2"), answer(told("0.2"))]);
    const run = await agent.invoke("Go.");
    expect(run.cost).toEqual({
      amount: "0.303",
      currency: "USD",
      charged: "0.3",
      estimated: "0.003",
      unpricedCalls: 0,
    });
    expect(costs().map((cost) => cost?.source)).toEqual(["charged", "estimated", "charged"]);
    expect(readAgentState(JSON.stringify(run.state)).cost).toEqual(run.cost);
    expect(run.messages.at(-1)).toMatchObject({ usage: { charged: { amount: "0.2", currency: "USD" } } });
  });

  test("is known without any price, and then nothing is unpriced (CST-06)", async () => {
    const events = eventRecorder();
    const agent = createAgent({ name: "a", model: rawModel([answer(told("0.5"))]), events });
    expect((await agent.invoke("Go.")).cost).toEqual({
      amount: "0.5",
      currency: "USD",
      charged: "0.5",
      estimated: "0",
      unpricedCalls: 0,
    });
    expect(events.ofType("cost.recorded")[0]?.data.cost).toEqual({ amount: "0.5", currency: "USD", source: "charged" });
  });

  test("of nothing is a cost of nothing, and not unpriced", async () => {
    const { agent } = agentOf([answer(told("0"))]);
    expect((await agent.invoke("Go.")).cost).toMatchObject({ amount: "0", charged: "0", unpricedCalls: 0 });
  });

  test("in another currency than the first is not added, and counts as unpriced (CST-06)", async () => {
    const { agent, costs } = agentOf([asking(told(), "c1"), answer(told("0.2", "EUR"))]);
    expect((await agent.invoke("Go.")).cost).toEqual({
      amount: "0.003",
      currency: "USD",
      charged: "0",
      estimated: "0.003",
      unpricedCalls: 1,
    });
    expect(costs()[1]).toMatchObject({ amount: "0.2", currency: "EUR", source: "charged" });
  });

  test("that is no amount is not believed: the call is estimated", async () => {
    const bad = { ...told(), charged: { amount: 0.5, currency: "USD" } } as unknown as Usage;
    const { agent, costs } = agentOf([answer(bad)]);
    expect((await agent.invoke("Go.")).cost).toMatchObject({ charged: "0", estimated: "0.003" });
    expect(costs()[0]).toEqual({ amount: "0.003", currency: "USD", source: "estimated" });
  });

  test("for an attempt that failed is added to what the next one cost", async () => {
    const reset = new TinyAgentsError("network", "reset", { details: {} });
    const failed = [{ type: "text", index: 0, text: "ha" }, { type: "usage", usage: told("0.1") }, reset];
    const agent = createAgent({
      name: "a",
      model: rawModel([failed, answer(told("0.2"))]),
      policies: { retry: { initialDelayMs: 0, jitter: "none" } },
    });
    expect((await agent.invoke("Go.")).cost).toMatchObject({ amount: "0.3", charged: "0.3" });
  });

  test("below a run is charged above it too, once, and shown to whoever watches (CST-07)", async () => {
    const child = createAgent({ name: "child", model: rawModel([answer(told("0.25"))]) });
    const model = scriptedModel([{ toolCalls: [{ name: "child", args: { task: "x" } }] }, "Done."], {
      usage: { inputTokens: 1_000, outputTokens: 100 },
    });
    const parent = createAgent({
      name: "parent",
      model,
      tools: [child.asTool({ description: "x" })],
      prices: { priceOf: () => price },
    });
    const items = await toArray(parent.stream("Go.", { modes: ["cost", "final"] }));
    const expected = { amount: "0.256", currency: "USD", charged: "0.25", estimated: "0.006", unpricedCalls: 0 };
    expect(items.at(-1)).toMatchObject({ type: "final", run: { cost: expected } });
    expect(items.findLast(({ type }) => type === "cost")).toMatchObject({ cost: expected });
  });
});
