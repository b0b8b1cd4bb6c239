import { tool } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { openaiModel } from "@tinyagents/provider-openai";
import { openaiWireServer } from "@tinyagents/testkit/wire";
import { afterEach, describe, expect, it } from "vitest";
import { sent, served } from "./world.js";

const look = tool({
  name: "look",
  description: "Looks.",
  input: { type: "object", properties: {} },
  execute: () => "nothing is there",
});

let openai: Awaited<ReturnType<typeof openaiWireServer>> | undefined;

afterEach(async () => {
  await openai?.close();
  openai = undefined;
});

describe("a conversation that began at another provider (PA-27)", () => {
  const id = `call|1:a.${"x".repeat(20)}`;

  it("goes on at Ollama, with its calls and results paired and without the other's reasoning", async () => {
    openai = await openaiWireServer([
      { reasoning: "Secret thoughts.", text: "Let me look.", toolCalls: [{ id, name: "look" }] },
      "Nothing is there.",
    ]);
    const first = openaiModel("gpt-4o", { apiKey: "unused", baseUrl: openai.url });
    const begun = await createAgent({ name: "helper", model: first, tools: [look] }).invoke("Look!");
    const { server, model } = await served(["Still nothing."]);
    const agent = createAgent({ name: "helper", model, tools: [look] });
    const stored = JSON.parse(JSON.stringify(begun.messages)) as typeof begun.messages;
    const run = await agent.invoke([...stored, { role: "user", content: "And now?" }]);
    server.assertDone();
    expect(run.text).toBe("Still nothing.");
    expect(JSON.stringify(server.requests[0]?.body)).not.toContain("Secret thoughts.");
    expect(sent(server, 1)).toMatchObject([
      { role: "user", content: "Look!" },
      { role: "assistant", content: "Let me look.", tool_calls: [{ id, function: { name: "look", arguments: {} } }] },
      { role: "tool", tool_call_id: id, tool_name: "look", content: "nothing is there" },
      { role: "assistant", content: "Nothing is there." },
      { role: "user", content: "And now?" },
    ]);
  });

  it("falls back to Ollama in the middle of it, where the other one fails", async () => {
    openai = await openaiWireServer([{ toolCalls: [{ id, name: "look" }] }, { status: 503 }]);
    const first = openaiModel("gpt-4o", { apiKey: "unused", baseUrl: openai.url });
    const { server, model } = await served(["Nothing is there."]);
    const policies = { retry: { maxAttempts: 1 } };
    const agent = createAgent({ name: "helper", model: first, fallbacks: [model], tools: [look], policies });
    const run = await agent.invoke("Look!");
    server.assertDone();
    expect(run.text).toBe("Nothing is there.");
    expect(sent(server, 1).at(-1)).toMatchObject({ role: "tool", tool_call_id: id, tool_name: "look" });
  });
});
