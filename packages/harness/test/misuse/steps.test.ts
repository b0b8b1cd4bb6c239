import { type AgentState, type JsonValue, userMessage } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { fakeTool, scriptedModel } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";
import { latch } from "../support/stubborn.js";

const agentOf = (gate?: Promise<unknown>) =>
  createAgent({
    name: "a",
    model: scriptedModel([{ toolCalls: [{ name: "look" }] }, "Done."]),
    tools: [fakeTool({ name: "look", ...(gate === undefined ? {} : { gate }) })],
  });

/** A state with a value put at a path. */
function damaged(state: AgentState, path: string, value: unknown): AgentState {
  const copy = structuredClone(state) as unknown as { [key: string]: unknown };
  const keys = path.split(".");
  const last = keys.pop() as string;
  let holder = copy;
  for (const key of keys) holder = holder[key] as typeof holder;
  holder[last] = value;
  return copy as unknown as AgentState;
}

describe("a step of what is no state", () => {
  test.each<[unknown]>([[undefined], [null], [5], ["state"], [[]], [{}]])("is refused: %j", async (state) => {
    await expect(agentOf().step(state as AgentState)).rejects.toMatchObject({ code: "corrupt_data" });
  });

  test.each<[string, unknown]>([
    ["phase", "tool"],
    ["messages", null],
    ["messages.0", null],
    ["messages.0.content", [null]],
    ["counters", undefined],
    ["counters.steps", Number.NaN],
    ["config", {}],
    ["usage.totalTokens", "many"],
    ["edits", null],
    ["newFrom", 9],
  ])("with a wrong %s is refused with that place", async (path, value) => {
    const state = damaged(agentOf().initialState([userMessage("Hi")]), path, value);
    await expect(agentOf().step(state)).rejects.toMatchObject({
      code: "corrupt_data",
      details: { place: expect.stringContaining(path.split(".")[0] as string) },
    });
  });

  test("of a later format is refused with that", async () => {
    const state = damaged(agentOf().initialState("Hi"), "v", 2);
    await expect(agentOf().step(state)).rejects.toMatchObject({ code: "version_mismatch" });
  });

  test("is refused in the middle of a run too, and the state before it goes on", async () => {
    const agent = agentOf();
    let state = await agent.step(await agent.step(agent.initialState("Hi")));
    const whole = structuredClone(state);
    (state as { messages: unknown }).messages = undefined;
    await expect(agent.step(state)).rejects.toMatchObject({ code: "corrupt_data" });
    state = whole;
    while (state.phase !== "done") state = await agent.step(state);
    expect(state.messages.at(-1)).toMatchObject({ content: [{ text: "Done." }] });
  });

  test("whose history somebody cut or extended between two steps is looked at again", async () => {
    const agent = agentOf();
    const state = await agent.step(await agent.step(agent.initialState("Hi")));
    (state.messages as unknown as JsonValue[]).push({ role: "robot" });
    await expect(agent.step(state)).rejects.toMatchObject({ details: { place: "the run's state.messages[2].role" } });
  });
});

describe("two steps of one state at once", () => {
  test("are not made: the second is refused, and the first ends as it would have", async () => {
    const gate = latch<void>();
    const agent = agentOf(gate.promise);
    let state = agent.initialState("Hi");
    while (state.phase !== "tools") state = await agent.step(state);
    const first = agent.step(state);
    await expect(agent.step(state)).rejects.toThrow(TypeError);
    await expect(agent.step(state)).rejects.toThrow(/being moved already/);
    gate.resolve();
    state = await first;
    expect(state.counters.toolCalls).toBe(1);
    while (state.phase !== "done") state = await agent.step(state);
    expect(state.messages).toHaveLength(4);
  });

  test("one after the other may be tried again when the recorder failed the first", async () => {
    const agent = agentOf();
    const state = agent.initialState("Hi");
    const failing = {
      load: async () => undefined,
      step: () => Promise.reject(new Error("disk full")),
      toolResult: async () => {},
    };
    await expect(agent.step(state, { recorder: failing })).rejects.toMatchObject({ code: "store_failed" });
    expect((await agent.step(state)).phase).toBe("parse");
  });
});
