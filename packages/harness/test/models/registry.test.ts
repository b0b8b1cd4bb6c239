import {
  assistantMessage,
  type ChatModel,
  type Middleware,
  type ModelProfile,
  modelRegistry,
  TinyAgentsError,
  userMessage,
} from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { eventRecorder, scriptedModel } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";
import { threads } from "../support/threads.js";

/** A model that says its own name, as often as it is asked. */
function named(
  name: string,
  profile: Partial<ModelProfile> = {},
): ChatModel & { readonly requests: readonly unknown[] } {
  const capabilities = { reasoning: "no", audio_input: "no", ...profile.capabilities } as const;
  return scriptedModel(Array(9).fill(name), { id: `test/${name}`, profile: { ...profile, capabilities } });
}

const IMAGE = { type: "image", source: { type: "base64", mediaType: "image/png", data: "AAAA" } } as const;
const overloaded = new TinyAgentsError("provider_overloaded", "too busy", { details: { provider: "test" } });

function world() {
  const own = named("own");
  const small = named("small");
  const large = named("large", { capabilities: { reasoning: "yes", image_input: "yes" } });
  const models = modelRegistry({
    models: { small, large, gone: named("gone", { lifecycle: "retired" }) },
    default: "small",
    aliases: { "acme:large-v1": "large" },
    routes: { coding: "large" },
  });
  return { own, small, large, models, events: eventRecorder() };
}

describe("the model of a call (RES-01, LOOP-04)", () => {
  test("is the agent's own, where nothing is said", async () => {
    const { own, models, events } = world();
    const run = await createAgent({ name: "a", model: own, models, events }).invoke("Hi");
    expect(run.text).toBe("own");
    expect(events.ofType("model.selected")).toEqual([]);
  });

  test("can be the agent's by its name in the registry", async () => {
    const { models } = world();
    const run = await createAgent({ name: "a", model: "large", models }).invoke("Hi");
    expect(run.usageByModel[0]?.model).toMatchObject({ id: "test/large", name: "large", chosenBy: "agent" });
  });

  test("is the registry's default where the agent has none", async () => {
    const { models } = world();
    const run = await createAgent({ name: "a", models }).invoke("Hi");
    expect(run.usageByModel[0]?.model).toMatchObject({ id: "test/small", name: "small", chosenBy: "registry" });
  });

  test.each([["large"], ["acme:large-v1"], ["coding"]])("is the one that a run names: %s (RES-05)", async (model) => {
    const { own, models, events } = world();
    const run = await createAgent({ name: "a", model: own, models, events }).invoke("Hi", { model });
    expect(run.text).toBe("large");
    expect(events.ofType("model.selected")[0]?.data).toEqual({
      callId: `${run.runId}/m1`,
      model: { id: "test/large", provider: "test", model: "large", name: "large", chosenBy: "override" },
      skipped: [],
    });
  });

  test("is the one that middleware names for this call alone", async () => {
    const { own, models } = world();
    let calls = 0;
    const route = {
      name: "route",
      beforeModel: (request: object) =>
        calls++ === 0 ? { replace: { ...request, model: "large" } as never } : undefined,
    };
    const agent = createAgent({ name: "a", model: own, models, middleware: [route] });
    expect((await agent.invoke("Hi")).text).toBe("large");
    expect((await agent.invoke("Hi")).text).toBe("own");
  });

  test("cannot be named by a wrap, which stands around a model that was chosen before", async () => {
    const { own, large, models } = world();
    const wrap: Middleware = {
      name: "wrap",
      wrapModel: (request, _context, next) => next({ ...request, model: "large" }),
    };
    const run = createAgent({ name: "a", model: own, models, middleware: [wrap] }).invoke("Hi");
    await expect(run).rejects.toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining("beforeModel"),
    });
    expect([...own.requests, ...large.requests]).toEqual([]);
  });

  test("is the first hint that can do what is needed, and each that was passed over is told (RES-02)", async () => {
    const { own, models, events } = world();
    const agent = createAgent({ name: "a", model: own, models, events });
    const run = await agent.invoke("Hi", { hints: ["huge", "gone", "small", "large"], requires: ["reasoning"] });
    expect(run.text).toBe("large");
    expect(events.ofType("model.selected")[0]?.data.skipped).toEqual([
      { rung: "hint", model: "huge", reason: "not_registered" },
      { rung: "hint", model: "gone", reason: "retired" },
      { rung: "hint", model: "small", reason: "capability_missing", capabilities: ["reasoning"] },
    ]);
  });

  test("has what the agent needs beside what the run needs (RES-02)", async () => {
    const { own, large } = world();
    const sees = named("sees", { capabilities: { image_input: "yes" } });
    const models = modelRegistry({ models: { sees, large } });
    const agent = createAgent({ name: "a", model: own, models, settings: { requires: ["reasoning"] } });
    const run = await agent.invoke("Hi", { hints: ["sees", "large"], requires: ["image_input"] });
    expect(run.text).toBe("large");
  });

  test("is a fallback where the agent's own cannot read what the messages hold", async () => {
    const blind = named("blind", { capabilities: { image_input: "no" } });
    const { large } = world();
    const run = await createAgent({ name: "a", model: blind, fallbacks: [large] }).invoke([userMessage([IMAGE])]);
    expect(run.text).toBe("large");
    expect(run.usageByModel[0]?.model.chosenBy).toBe("fallback");
    expect(blind.requests).toEqual([]);
  });
});

describe("no model", () => {
  test("of a name is missing before anything is asked, whoever names it (MDL-02)", async () => {
    const { own, models } = world();
    expect(() => createAgent({ name: "a", model: "huge", models })).toThrow(
      expect.objectContaining({ code: "model_not_found", details: { model: "huge", available: expect.any(Array) } }),
    );
    expect(() => createAgent({ name: "a", models: modelRegistry({ models: { own } }) })).toThrow(
      expect.objectContaining({ code: "model_not_found" }),
    );
    const agent = createAgent({ name: "a", model: own, models });
    await expect(agent.invoke("Hi", { model: "huge" })).rejects.toMatchObject({ code: "model_not_found" });
    expect(own.requests).toEqual([]);
  });

  test("that can do what is needed ends the run before anything is asked (RES-02)", async () => {
    const { own, small, models } = world();
    const agent = createAgent({ name: "a", model: own, models });
    const run = agent.invoke("Hi", { requires: ["audio_input"] });
    await expect(run).rejects.toMatchObject({
      code: "capability_missing",
      details: { model: "test/own, small", capabilities: ["audio_input"] },
    });
    expect([...own.requests, ...small.requests]).toEqual([]);
  });

  test("can be named without a registry", () => {
    const { own } = world();
    expect(() => createAgent({ name: "a" })).toThrow(TypeError);
    expect(() => createAgent({ name: "a", model: own, fallbacks: ["small"] })).toThrow(
      'models: a registry that has "small"',
    );
  });

  test("can be named by what is no name", () => {
    const { own, models } = world();
    const agent = createAgent({ name: "a", model: own, models });
    expect(() => agent.invoke("Hi", { model: "" })).toThrow(TypeError);
    expect(() => agent.invoke("Hi", { hints: "large" as never })).toThrow("options: hints");
  });
});

describe("the model that was chosen is on record (RES-03)", () => {
  test("in the response, events, usage, cost, the history and the state", async () => {
    const { own, models, events } = world();
    const price = { currency: "USD", inputPerMillion: "1", outputPerMillion: "1" };
    const agent = createAgent({ name: "a", model: own, models, events, prices: { priceOf: () => price } });
    const run = await agent.invoke("Hi", { model: "coding" });
    const record = { id: "test/large", provider: "test", model: "large", name: "large", chosenBy: "override" };
    expect(run.messages.at(-1)).toMatchObject({ role: "assistant", model: record });
    expect(run.state.usageByModel[0]?.model).toEqual(record);
    expect(run.state.config.selection).toEqual({ model: "coding" });
    for (const type of ["model.started", "model.completed", "usage.recorded", "cost.recorded"] as const) {
      expect(events.ofType(type)[0]?.data.model).toEqual(record);
    }
  });

  test("also of a fallback that answered in its place", async () => {
    const { models, events } = world();
    const broken = scriptedModel([{ error: overloaded }], { id: "test/broken" });
    const agent = createAgent({
      name: "a",
      model: broken,
      fallbacks: ["large"],
      models,
      events,
      policies: { retry: { maxAttempts: 1 } },
    });
    expect((await agent.invoke("Hi")).text).toBe("large");
    expect(events.ofType("model.completed")[0]?.data.model).toMatchObject({ id: "test/large", chosenBy: "fallback" });
    expect(events.ofType("fallback.selected")[0]?.data).toMatchObject({
      failed: { id: "test/broken", chosenBy: "agent" },
      selected: { id: "test/large", chosenBy: "fallback" },
    });
  });

  test("and goes on with the run in another process", async () => {
    const { own, models } = world();
    const agent = createAgent({ name: "a", model: own, models });
    let state = agent.initialState("Hi", { model: "large" });
    while (state.phase !== "done") state = await agent.step(JSON.parse(JSON.stringify(state)));
    expect(state.messages.at(-1)).toMatchObject({ model: { id: "test/large" } });
  });
});

describe("the model that answered a thread before (RES-04)", () => {
  const threadId = "t";

  function remembering(reuseModel: boolean) {
    const parts = world();
    const { own, models, events } = parts;
    const agent = createAgent({ name: "a", model: own, models, events, memory: threads(), settings: { reuseModel } });
    return { ...parts, agent };
  }

  test("answers again where that is wanted", async () => {
    const { agent, events } = remembering(true);
    await agent.invoke("Hi", { threadId, model: "large" });
    expect((await agent.invoke("And?", { threadId })).text).toBe("large");
    expect(events.ofType("model.selected").at(-1)?.data.model).toMatchObject({ name: "large", chosenBy: "reuse" });
  });

  test("gives way to one that the run names, and to what is needed", async () => {
    const { agent } = remembering(true);
    await agent.invoke("Hi", { threadId, model: "small" });
    expect((await agent.invoke("And?", { threadId, model: "large" })).text).toBe("large");
    await agent.invoke("Hi", { threadId, model: "small" });
    const run = await agent.invoke("And?", { threadId, hints: ["large"], requires: ["reasoning"] });
    expect(run.text).toBe("large");
  });

  test("is looked for behind answers that no model is known of", async () => {
    const { agent } = remembering(true);
    const before = { id: "test/large", provider: "test", model: "large", name: "large" };
    const history = [
      userMessage("Hi"),
      { ...assistantMessage("large"), model: before },
      userMessage("And?"),
      assistantMessage("by hand"),
      userMessage("So?"),
    ];
    expect((await agent.invoke(history)).text).toBe("large");
  });

  test("does not matter where nobody wants it", async () => {
    const { agent } = remembering(false);
    await agent.invoke("Hi", { threadId, model: "large" });
    expect((await agent.invoke("And?", { threadId })).text).toBe("own");
    expect((await agent.invoke("And?", { threadId, model: "large" })).text).toBe("large");
    expect((await agent.invoke("And?", { threadId, reuseModel: true })).text).toBe("large");
  });
});

test("tools with a text format work with every model that is chosen", async () => {
  const { own, models, large } = world();
  const agent = createAgent({ name: "a", model: own, models });
  await agent.invoke("Hi", { model: "large" });
  expect(large.requests).toHaveLength(1);
});
