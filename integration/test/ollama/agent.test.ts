import { text, tool } from "@tinyagents/core";
import { createAgent, runOf } from "@tinyagents/harness";
import { toArray, trajectory } from "@tinyagents/testkit";
import type { WireAnswer } from "@tinyagents/testkit/wire";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { sent, served } from "./world.js";

const weather = tool({
  name: "get_weather",
  description: "Current weather in a city.",
  input: z.object({ city: z.string() }),
  execute: async ({ city }) => ({ city, degrees: city.length }),
});

const CALLS: WireAnswer = {
  reasoning: "Two cities.",
  text: "Let me look.",
  toolCalls: [
    { name: "get_weather", args: { city: "Oslo" } },
    { name: "get_weather", args: { city: "東京" } },
  ],
  toolIds: "missing",
  usage: { inputTokens: 20, outputTokens: 9 },
};
const ANSWER: WireAnswer = { text: "4° in Oslo, 2° in 東京.", usage: { inputTokens: 40, outputTokens: 8 } };

describe("an agent whose model is behind Ollama (PRV-03)", () => {
  it("runs the tools that the model asks for, and sends their results back in call order (PA-05)", async () => {
    const { server, model } = await served([CALLS, ANSWER]);
    const run = await createAgent({ name: "helper", model, tools: [weather] }).invoke("Weather?");
    server.assertDone();
    expect(run.text).toBe(ANSWER.text);
    expect(run.usage).toMatchObject({ inputTokens: 60, outputTokens: 17 });
    const messages = sent(server, 2);
    expect(messages.map(({ role, tool_name, content, thinking }) => [role, tool_name, content, thinking])).toEqual([
      ["user", undefined, "Weather?", undefined],
      ["assistant", undefined, "Let me look.", "Two cities."],
      ["tool", "get_weather", '{"city":"Oslo","degrees":4}', undefined],
      ["tool", "get_weather", '{"city":"東京","degrees":2}', undefined],
    ]);
    expect(new Set(messages.flatMap(({ tool_call_id }) => tool_call_id ?? [])).size).toBe(2);
  });

  it("streams what comes, however the network cuts it, and ends as the whole answers do (MDL-10)", async () => {
    const cut = { split: "characters", chunks: { seed: 7 } } as const;
    const { server, model } = await served([CALLS, ANSWER, { ...CALLS, ...cut }, { ...ANSWER, ...cut }]);
    const agent = createAgent({ name: "helper", model, tools: [weather] });
    const whole = await agent.invoke("Weather?");
    const items = await toArray(agent.stream("Weather?"));
    server.assertDone();
    expect(server.requests.map(({ body }) => body.stream)).toEqual([false, false, true, true]);
    const shown = (type: "text" | "reasoning") => items.flatMap((item) => (item.type === type ? item.text : []));
    expect(shown("text").join("")).toBe("Let me look.4° in Oslo, 2° in 東京.");
    expect(shown("reasoning").join("")).toBe("Two cities.");
    const said = items.flatMap((item) => (item.type === "message" ? text(item.message) : []));
    expect(said).toEqual(whole.newMessages.filter(({ role }) => role === "assistant").map(text));
    const final = items.at(-1);
    const calls = (messages: typeof whole.newMessages) =>
      messages.flatMap((one) => one.content.filter(({ type }) => type === "tool_call"));
    expect(final?.type === "final" && calls(final.run.newMessages)).toEqual(calls(whole.newMessages));
  });

  it("tells the model of broken and of wrong arguments, runs nothing with them, and goes on (PA-04)", async () => {
    const { server, model } = await served([
      { toolCalls: [{ name: "get_weather", rawArgs: '{"city":' }] },
      { toolCalls: [{ name: "get_weather", args: { city: 7 } }] },
      { toolCalls: [{ name: "weather" }] },
      { toolCalls: [{ name: "get_weather", args: { city: "Rome" } }] },
      "4° in Rome.",
    ]);
    const run = await createAgent({ name: "helper", model, tools: [weather] }).invoke("Weather?");
    server.assertDone();
    trajectory(run)
      .toolFailed("get_weather", "invalid")
      .toolFailed("get_weather", "invalid")
      .toolFailed("weather", "unknown_tool")
      .toolCalled("get_weather", { city: "Rome" })
      .completed();
  });
});

describe("a structured answer of a model behind Ollama (PRV-03)", () => {
  const schema = z.object({ celsius: z.number() });

  it("is asked for with its schema, and corrected where it does not fit", async () => {
    const { server, model } = await served([{ text: '{"celsius":"warm"}' }, { text: '{"celsius":21}' }]);
    const agent = createAgent({ name: "helper", model, output: { schema } });
    const run = await agent.invoke("How warm?");
    server.assertDone();
    expect(run.output).toEqual({ celsius: 21 });
    expect(server.requests[0]?.body.format).toMatchObject({
      type: "object",
      properties: { celsius: { type: "number" } },
    });
  });

  it("is read from JSON in the text of a model that keeps to no schema", async () => {
    const profile = { capabilities: { structured_output: "no", json_mode: "no", tools: "no" } } as const;
    const { server, model } = await served(['Here it is:\n```json\n{"celsius":21}\n```'], { profile });
    const agent = createAgent({ name: "helper", model, output: { schema } });
    const run = await agent.invoke("How warm?");
    expect(run.output).toEqual({ celsius: 21 });
    server.assertDone();
    expect(server.requests[0]?.body.format).toBeUndefined();
  });
});

describe("a run whose history no longer fits (PA-19)", () => {
  it("fails with what had been done, and asks nobody twice", async () => {
    const wordy = tool({
      name: "read",
      description: "Reads a page.",
      input: z.object({}),
      execute: async () => "word ".repeat(4_000),
    });
    const options = { profile: { contextWindow: 2_048 } };
    const { server, model } = await served([{ toolCalls: [{ name: "read" }] }], options);
    const failed: unknown = await createAgent({ name: "helper", model, tools: [wordy] })
      .invoke("Read it.")
      .catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: "context_window_exceeded", retryable: false });
    expect(runOf(failed)?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
    expect(server.requests).toHaveLength(2);
  });
});
