import { type ChatModel, type ModelRegistry, modelRegistry, TinyAgentsError } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { eventRecorder, scriptedModel } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";

const overloaded = () => new TinyAgentsError("provider_overloaded", "too busy", { details: { provider: "test" } });
const ONCE = { retry: { maxAttempts: 1 } } as const;

function named(name: string): ChatModel & { readonly requests: readonly unknown[] } {
  return scriptedModel(Array(9).fill(name), { id: `test/${name}` });
}
function broken(name: string): ChatModel & { readonly requests: readonly unknown[] } {
  return scriptedModel(
    Array.from({ length: 9 }, () => ({ error: overloaded() })),
    { id: `test/${name}` },
  );
}

/** A registry of somebody else's. */
function foreign(parts: Partial<ModelRegistry>): ModelRegistry {
  return {
    names: [],
    defaultName: undefined,
    has: () => true,
    model: () => ({ name: "x", model: named("x") }),
    ...parts,
  };
}

describe("fallbacks", () => {
  test("are on record by the name that the registry has for them (RES-03)", async () => {
    const events = eventRecorder();
    const models = modelRegistry({ models: { cheap: named("cheap") }, aliases: { spare: "cheap" } });
    const agent = createAgent({
      name: "a",
      model: broken("one"),
      fallbacks: ["spare"],
      models,
      events,
      policies: ONCE,
    });
    const run = await agent.invoke("Hi");
    const record = { id: "test/cheap", provider: "test", model: "scripted", name: "cheap", chosenBy: "fallback" };
    expect(events.ofType("fallback.selected")[0]?.data.selected).toMatchObject({ ...record, model: expect.anything() });
    expect(run.messages.at(-1)).toMatchObject({ model: { name: "cheap", chosenBy: "fallback" } });
    expect(run.usageByModel.at(-1)?.model).toMatchObject({ name: "cheap" });
  });

  test("that are named twice, or are the agent's own, are asked once (ERR-12)", async () => {
    const own = broken("own");
    const spare = broken("spare");
    const models = modelRegistry({ models: { spare, own } });
    const fallbacks = ["spare", own, spare, "own"];
    const agent = createAgent({ name: "a", model: own, fallbacks, models, policies: ONCE });
    await expect(agent.invoke("Hi")).rejects.toMatchObject({ code: "provider_overloaded" });
    await expect(agent.invoke("Hi", { model: "spare" })).rejects.toMatchObject({ code: "provider_overloaded" });
    expect([own.requests.length, spare.requests.length]).toEqual([2, 2]);
  });
});

describe("a registry of somebody else's (MDL-02)", () => {
  test("that fails ends the run with a typed error, and nothing is asked", async () => {
    const own = named("own");
    const throws = () => {
      throw new Error("the database is gone");
    };
    for (const parts of [{ has: throws }, { model: throws }]) {
      const agent = createAgent({ name: "a", model: own, models: foreign(parts) });
      const failure = await agent.invoke("Hi", { model: "x" }).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(TinyAgentsError);
    }
    expect(own.requests).toEqual([]);
  });

  test("that knows a name and has no model for it is as one that does not know it", async () => {
    const models = foreign({ model: (name = "x") => ({ name, model: undefined as never }) });
    const agent = createAgent({ name: "a", model: named("own"), models });
    await expect(agent.invoke("Hi", { model: "x" })).rejects.toMatchObject({ code: "model_not_found" });
    expect((await agent.invoke("Hi", { hints: ["x"] })).text).toBe("own");
    expect(() => createAgent({ name: "a", model: "x", models })).toThrow('a ChatModel is expected under the name "x"');
  });

  test("whose default is not there is passed over", async () => {
    const retired = scriptedModel(["no"], { id: "test/old", profile: { lifecycle: "retired" } });
    const models = foreign({ defaultName: "gone", has: () => false });
    const agent = createAgent({ name: "a", model: retired, models, fallbacks: [named("spare")] });
    expect((await agent.invoke("Hi")).text).toBe("spare");
  });
});

test("a run whose model is registered no more ends with that when it goes on elsewhere (RES-04)", async () => {
  const own = named("own");
  const here = createAgent({ name: "a", model: own, models: modelRegistry({ models: { large: named("large") } }) });
  const there = createAgent({ name: "a", model: own, models: modelRegistry({ models: { other: named("other") } }) });
  let state = JSON.parse(JSON.stringify(here.initialState("Hi", { model: "large" })));
  for (let steps = 0; state.phase !== "failed" && steps < 9; steps++) state = await there.step(state);
  expect(state).toMatchObject({ phase: "failed", error: { code: "model_not_found" } });
  expect(own.requests).toEqual([]);
});

test("a child agent goes on with its own model, whichever its parent was told to use (RES-01)", async () => {
  const child = createAgent({ name: "child", model: named("small") });
  const parent = scriptedModel([{ toolCalls: [{ name: "child", args: { task: "Look." } }] }, "done"], {
    id: "test/large",
  });
  const models = modelRegistry({ models: { large: parent } });
  const agent = createAgent({
    name: "a",
    model: named("own"),
    models,
    tools: [child.asTool({ description: "Looks." })],
  });
  const run = await agent.invoke("Hi", { model: "large" });
  expect(run.usageByModel.map(({ model }) => model.id).sort()).toEqual(["test/large", "test/small"]);
});
