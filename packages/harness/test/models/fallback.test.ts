import { TinyAgentsError } from "@tinyagents/core";
import { eventRecorder, scriptedModel } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";
import { createAgent } from "../../src/index.js";

const overloaded = new TinyAgentsError("provider_overloaded", "too busy", { details: { provider: "test" } });
const wrongKey = new TinyAgentsError("provider_auth", "wrong key", { details: { provider: "test" } });
const noRetry = { retry: { maxAttempts: 1 } };

describe("fallback models", () => {
  test("the next model answers when the first one fails, and the run says which (ERR-11, EVT-06, RES-03)", async () => {
    const events = eventRecorder();
    const run = await createAgent({
      name: "helper",
      model: scriptedModel([{ error: overloaded }], { id: "test/first" }),
      fallbacks: [scriptedModel(["Hello."], { id: "test/second" })],
      policies: noRetry,
      events,
    }).invoke("Hi");
    expect(run.text).toBe("Hello.");
    expect(run.usageByModel.map(({ model }) => model.id)).toEqual(["test/second"]);
    expect(run.counters.modelCalls).toBe(1);
    expect(events.ofType("fallback.selected").map(({ data }) => data)).toEqual([
      expect.objectContaining({
        code: "provider_overloaded",
        failed: expect.objectContaining({ id: "test/first" }),
        selected: expect.objectContaining({ id: "test/second" }),
      }),
    ]);
  });

  test("those that failed stand beside the one that answered, in the history and in its state (ERR-11)", async () => {
    const agent = createAgent({
      name: "helper",
      model: scriptedModel([{ error: overloaded }, { error: overloaded }], { id: "test/first" }),
      fallbacks: [scriptedModel(["Hello."], { id: "test/second" })],
      policies: { retry: { maxAttempts: 2, initialDelayMs: 0 } },
    });
    let state = agent.initialState("Hi");
    while (state.phase !== "done") state = await agent.step(JSON.parse(JSON.stringify(state)));
    const model = { id: "test/second", failed: [{ id: "test/first", code: "provider_overloaded" }] };
    expect(state.messages.at(-1)).toMatchObject({ model });
    expect(state.usageByModel.map((line) => line.model.failed)).toEqual([undefined]);
  });

  test("where all fail, the last one's failure says which failed before (ERR-11)", async () => {
    const events = eventRecorder();
    const agent = createAgent({
      name: "helper",
      model: scriptedModel([{ error: overloaded }], { id: "test/first" }),
      fallbacks: [scriptedModel([{ error: wrongKey }], { id: "test/second" })],
      policies: noRetry,
      events,
    });
    await expect(agent.invoke("Hi")).rejects.toMatchObject({ code: "provider_auth" });
    expect(events.ofType("model.failed")[0]?.data.model).toMatchObject({
      id: "test/second",
      failed: [{ id: "test/first", code: "provider_overloaded" }],
    });
  });

  test("retries come first (ERR-11)", async () => {
    const first = scriptedModel([{ error: overloaded }, { error: overloaded }], { id: "test/first" });
    const agent = createAgent({
      name: "helper",
      model: first,
      fallbacks: [scriptedModel(["Hello."], { id: "test/second" })],
      policies: { retry: { maxAttempts: 2, initialDelayMs: 0 } },
    });
    expect((await agent.invoke("Hi")).text).toBe("Hello.");
    expect(first.requests).toHaveLength(2);
  });

  test("a wrong key is nobody else's business by default (ERR-12)", async () => {
    const second = scriptedModel(["Hello."], { id: "test/second" });
    const agent = createAgent({ name: "helper", model: scriptedModel([{ error: wrongKey }]), fallbacks: [second] });
    await expect(agent.invoke("Hi")).rejects.toMatchObject({ code: "provider_auth" });
    expect(second.requests).toHaveLength(0);
  });

  test("tokens count as those of the model that used them (OB-04, USG-03)", async () => {
    const run = await createAgent({
      name: "helper",
      model: scriptedModel(
        [{ text: "Hel", usage: { inputTokens: 100, outputTokens: 1, source: "reported" }, error: overloaded }],
        {
          id: "test/first",
        },
      ),
      fallbacks: [
        scriptedModel([{ text: "Hello.", usage: { inputTokens: 10, outputTokens: 2, source: "reported" } }], {
          id: "test/second",
        }),
      ],
      policies: noRetry,
    }).invoke("Hi");
    expect(run.usageByModel.map(({ model, usage }) => [model.id, usage.inputTokens, usage.estimatedCalls])).toEqual([
      ["test/first", expect.any(Number), expect.any(Number)],
      ["test/second", 10, 0],
    ]);
    expect(run.usage.inputTokens).toBe(10 + (run.usageByModel[0]?.usage.inputTokens ?? 0));
  });

  test("a stream shows that what it had shown is void", async () => {
    const agent = createAgent({
      name: "helper",
      model: scriptedModel([{ text: "Hel", error: overloaded }], { id: "test/first" }),
      fallbacks: [scriptedModel(["Hello."], { id: "test/second" })],
      policies: noRetry,
    });
    const shown: string[] = [];
    for await (const item of agent.stream("Hi", { modes: ["messages"] })) {
      shown.push(item.type === "text" ? item.text : item.type);
    }
    const restart = shown.indexOf("restart");
    expect(restart).toBeGreaterThanOrEqual(0);
    expect(shown.slice(restart + 1, -1).join("")).toBe("Hello.");
  });
});

test("a model that repeats failed calls itself is asked once (ERR-12)", async () => {
  const own = scriptedModel([{ error: overloaded }, "never asked for"]);
  const agent = createAgent({ name: "helper", model: Object.assign(own, { ownsRetry: true as const }) });
  await expect(agent.invoke("Hi")).rejects.toMatchObject({ code: "provider_overloaded" });
  expect(own.requests).toHaveLength(1);
});
