import { text, tool } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { gauge, toArray, trajectory } from "@tinyagents/testkit";
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
  text: "Let me look.",
  toolCalls: [
    { id: "a", name: "get_weather", args: { city: "Oslo" } },
    { id: "b", name: "get_weather", args: { city: "東京" } },
  ],
  usage: { inputTokens: 20, outputTokens: 9 },
};
const ANSWER: WireAnswer = { text: "4° in Oslo, 2° in 東京.", usage: { inputTokens: 40, outputTokens: 8 } };

describe("an agent whose model is behind a socket", () => {
  it("runs the tools that the server asks for, and sends their results back in call order", async () => {
    const { server, model } = await served([CALLS, ANSWER]);
    const overlap = gauge();
    const run = await createAgent({ name: "helper", model, tools: [overlap.tool(weather)] }).invoke("Weather?");
    server.assertDone();
    expect(run.text).toBe(ANSWER.text);
    expect(run.usage).toMatchObject({ inputTokens: 60, outputTokens: 17 });
    expect(overlap.highest).toBe(2);
    expect(sent(server, 2).map(({ role, tool_call_id, content }) => [role, tool_call_id, content])).toEqual([
      ["user", undefined, "Weather?"],
      ["assistant", undefined, "Let me look."],
      ["tool", "a", '{"city":"Oslo","degrees":4}'],
      ["tool", "b", '{"city":"東京","degrees":2}'],
    ]);
  });

  it("streams fragments as they come, however the network cuts them, and asks for a stream only then", async () => {
    const cut = { split: "characters", chunks: { seed: 7 } } as const;
    const { server, model } = await served([CALLS, ANSWER, { ...CALLS, ...cut }, { ...ANSWER, ...cut }]);
    const agent = createAgent({ name: "helper", model, tools: [weather] });
    const whole = await agent.invoke("Weather?");
    const items = await toArray(agent.stream("Weather?"));
    server.assertDone();
    expect(server.requests.map(({ body }) => body.stream === true)).toEqual([false, false, true, true]);
    const texts = items.flatMap((item) => (item.type === "text" ? item.text : []));
    expect(texts.length).toBeGreaterThan(20);
    expect(texts.join("")).toBe("Let me look.4° in Oslo, 2° in 東京.");
    const said = items.flatMap((item) => (item.type === "message" ? text(item.message) : []));
    expect(said).toEqual(whole.newMessages.filter(({ role }) => role === "assistant").map(text));
    const final = items.at(-1);
    expect(final?.type === "final" && final.run.text).toBe(whole.text);
  });

  it("tells the model of broken and of wrong arguments, runs nothing with them, and goes on", async () => {
    const { server, model } = await served([
      { toolCalls: [{ id: "a", name: "get_weather", rawArgs: '{"city":' }] },
      { toolCalls: [{ id: "b", name: "get_weather", args: { city: 7 } }] },
      { toolCalls: [{ id: "c", name: "weather" }] },
      { toolCalls: [{ id: "d", name: "get_weather", args: { city: "Rome" } }] },
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
    expect(sent(server, 5).filter(({ role }) => role === "tool")).toHaveLength(4);
  });

  it("gets a structured answer that the server was asked for, and corrects one that does not fit", async () => {
    const { server, model } = await served([{ text: '{"celsius":"warm"}' }, { text: '{"celsius":21}' }]);
    const agent = createAgent({ name: "helper", model, output: z.object({ celsius: z.number() }) });
    expect((await agent.invoke("How warm?")).output).toEqual({ celsius: 21 });
    server.assertDone();
    expect(server.requests[0]?.body.response_format).toMatchObject({ type: "json_schema" });
    expect(server.requests).toHaveLength(2);
  });
});
