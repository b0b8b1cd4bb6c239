import { type AgentState, askWhenResumed, checkHistory, type ToolPolicy, tool } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { mockModel } from "@tinyagents/provider-mock";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { sent, served } from "./world.js";

const multiply = multiplyUnder({});

function multiplyUnder(policy: ToolPolicy) {
  return tool({
    name: "multiply",
    description: "Multiplies two numbers.",
    input: z.object({ a: z.number(), b: z.number() }),
    policy,
    execute: ({ a, b }) => a * b,
  });
}

describe("a history", () => {
  it("that the offline model wrote is continued by provider-openai", async () => {
    const offline = await createAgent({ name: "offline", model: mockModel(), tools: [multiply] }).invoke(
      "What is 6 times 7?",
    );
    const { server, model } = await served(["Twice 42 is 84."]);
    const input = [...offline.messages, { role: "user", content: "And twice that?" }] as const;
    const run = await createAgent({ name: "online", model, tools: [multiply] }).invoke(input);
    server.assertDone();
    expect(run.text).toBe("Twice 42 is 84.");
    const [question, call, result, answer, next] = sent(server, 1);
    expect(question).toEqual({ role: "user", content: "What is 6 times 7?" });
    expect(call?.tool_calls?.[0]?.function.name).toBe("multiply");
    expect(result).toMatchObject({ role: "tool", tool_call_id: call?.tool_calls?.[0]?.id, content: "42" });
    expect(answer).toMatchObject({ role: "assistant", content: offline.text });
    expect(next).toEqual({ role: "user", content: "And twice that?" });
  });

  it("that provider-openai wrote is continued by the offline model", async () => {
    const { model } = await served([
      { text: "Let me see.", toolCalls: [{ id: "a", name: "multiply", args: { a: 6, b: 7 } }] },
      "It is 42.",
    ]);
    const online = await createAgent({ name: "online", model, tools: [multiply] }).invoke("What is 6 times 7?");
    const offline = await createAgent({ name: "offline", model: mockModel(), tools: [multiply] }).invoke([
      ...online.messages,
      { role: "user", content: "What is 2 times 4?" },
    ]);
    expect(offline.text).toContain("8");
    expect(checkHistory(offline.messages)).toEqual([]);
  });

  it("of a run that paused with one model goes on with the other", async () => {
    const guarded = multiplyUnder({ approval: "always" });
    const common = { name: "calculator", tools: [guarded], approver: askWhenResumed };
    const paused = await createAgent({ ...common, model: mockModel() }).invoke("What is 6 times 7?");
    expect(paused.status).toBe("paused");
    const { server, model } = await served(["It is 42."]);
    const run = await createAgent({ ...common, model }).resume(JSON.parse(JSON.stringify(paused.state)) as AgentState, {
      answers: { [paused.requests[0]?.id ?? ""]: { approve: true } },
    });
    server.assertDone();
    expect(run.text).toBe("It is 42.");
    expect(sent(server, 1).map(({ role, content }) => [role, content])).toMatchObject([
      ["user", "What is 6 times 7?"],
      ["assistant", null],
      ["tool", "42"],
    ]);
  });
});
