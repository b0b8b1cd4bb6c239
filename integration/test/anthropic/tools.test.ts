import { content, type ImageBlock, tool } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
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
    { id: "toolu_a", name: "get_weather", args: { city: "Oslo" } },
    { id: "toolu_b", name: "get_weather", args: { city: "東京" } },
  ],
  usage: { inputTokens: 20, outputTokens: 9, cacheWriteTokens: 15 },
};
const ANSWER: WireAnswer = {
  text: "4° in Oslo, 2° in 東京.",
  usage: { inputTokens: 40, outputTokens: 8, cachedInputTokens: 15 },
};

describe("an agent whose model is Claude", () => {
  it("runs the tools that are asked for, and sends thoughts and results back in order (MSG-06, USG-05)", async () => {
    const { server, model } = await served([CALLS, ANSWER]);
    const run = await createAgent({ name: "helper", model, tools: [weather] }).invoke("Weather?");
    server.assertDone();
    expect(run.text).toBe(ANSWER.text);
    expect(run.usage).toMatchObject({
      inputTokens: 60,
      outputTokens: 17,
      cachedInputTokens: 15,
      cacheWriteTokens: 15,
    });
    const [question, calls, results] = sent(server, 2);
    expect(question?.content).toMatchObject([{ text: "Weather?" }]);
    expect(calls?.content).toMatchObject([
      { type: "thinking", thinking: "Two cities.", signature: "signature_1" },
      { type: "text", text: "Let me look." },
      { type: "tool_use", id: "toolu_a", input: { city: "Oslo" } },
      { type: "tool_use", id: "toolu_b", input: { city: "東京" } },
    ]);
    expect(results?.content).toMatchObject([
      { type: "tool_result", tool_use_id: "toolu_a", content: [{ text: '{"city":"Oslo","degrees":4}' }] },
      { type: "tool_result", tool_use_id: "toolu_b", content: [{ text: '{"city":"東京","degrees":2}' }] },
    ]);
  });

  it("streams thoughts and text as they come, each as itself, however the network cuts them (STM-07)", async () => {
    const cut = { split: "characters", chunks: { seed: 7 } } as const;
    const { server, model } = await served([
      { ...CALLS, ...cut },
      { ...ANSWER, ...cut },
    ]);
    const items = await toArray(createAgent({ name: "helper", model, tools: [weather] }).stream("Weather?"));
    server.assertDone();
    const joined = (type: "text" | "reasoning"): string =>
      items.flatMap((item) => (item.type === type ? item.text : [])).join("");
    expect(joined("text")).toBe("Let me look.4° in Oslo, 2° in 東京.");
    expect(joined("reasoning")).toBe("Two cities.");
    const final = items.at(-1);
    expect(final?.type === "final" && final.run.text).toBe(ANSWER.text);
  });

  it("sends a thought back that it is not shown, by its signature (PA-07)", async () => {
    const { server, model } = await served([{ ...CALLS, reasoning: "", signature: "hidden" }, ANSWER]);
    await createAgent({ name: "helper", model, tools: [weather] }).invoke("Weather?");
    server.assertDone();
    expect(sent(server, 2)[1]?.content[0]).toEqual({ type: "thinking", thinking: "", signature: "hidden" });
  });

  it("tells the model of broken and of wrong arguments, runs nothing with them, and goes on (MSG-05)", async () => {
    const { server, model } = await served([
      { toolCalls: [{ id: "a", name: "get_weather", rawArgs: '{"city":' }] },
      { toolCalls: [{ id: "b", name: "get_weather", args: { city: 7 } }] },
      { toolCalls: [{ id: "c", name: "get_weather", args: { city: "Rome" } }] },
      "4° in Rome.",
    ]);
    const run = await createAgent({ name: "helper", model, tools: [weather] }).invoke("Weather?");
    server.assertDone();
    trajectory(run)
      .toolFailed("get_weather", "invalid")
      .toolFailed("get_weather", "invalid")
      .toolCalled("get_weather", { city: "Rome" })
      .completed();
  });

  it("sees the image that a tool returned (PA-14)", async () => {
    const picture: ImageBlock = {
      type: "image",
      source: { type: "base64", mediaType: "image/png", data: "iVBORw0KGgo=" },
    };
    const camera = tool({
      name: "camera",
      description: "Takes a picture.",
      input: z.object({}),
      execute: () => content([picture]),
    });
    const { server, model } = await served([{ toolCalls: [{ id: "a", name: "camera" }] }, "A cat."]);
    await createAgent({ name: "helper", model, tools: [camera] }).invoke("What is there?");
    server.assertDone();
    expect(sent(server, 2)[2]?.content).toMatchObject([
      { type: "tool_result", content: [{ type: "image", source: { media_type: "image/png" } }] },
    ]);
  });

  it("is sent its own turn back when it paused, and goes on in it", async () => {
    const search = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "x" } };
    const { server, model } = await served([
      { text: "Searching.", blocks: [search], finishReason: "pause" },
      { blocks: [{ type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] }], text: "Nothing." },
      "Bye.",
    ]);
    const agent = createAgent({ name: "helper", model });
    const run = await agent.invoke("Search.");
    expect(sent(server, 2).at(-1)).toEqual({
      role: "assistant",
      content: [{ type: "text", text: "Searching." }, search],
    });
    await agent.invoke([...run.messages, { role: "user", content: "Thanks." }]);
    server.assertDone();
    expect(sent(server, 3).map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  });

  it("gives a structured answer that the server enforces, and corrects one that does not fit (PA-23, PA-24)", async () => {
    const { server, model } = await served([{ text: '{"celsius":"warm"}' }, { text: '{"celsius":21}' }]);
    const agent = createAgent({ name: "helper", model, output: z.object({ celsius: z.number().min(-90) }) });
    expect((await agent.invoke("How warm?")).output).toEqual({ celsius: 21 });
    server.assertDone();
    expect(server.requests[0]?.body.output_config).toMatchObject({
      format: { type: "json_schema", schema: { additionalProperties: false } },
    });
  });

  it("that declines ends the run with its words after one call, and is not asked again (PA-10)", async () => {
    const { server, model } = await served([{ refusal: "This could do harm." }]);
    const agent = createAgent({ name: "helper", model, output: z.object({ celsius: z.number() }) });
    await expect(agent.invoke("How warm?")).rejects.toMatchObject({
      code: "structured_output_invalid",
      details: { reason: "refusal", text: "This could do harm." },
    });
    expect(server.requests).toHaveLength(1);
  });
});
