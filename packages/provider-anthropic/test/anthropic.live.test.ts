import { collect, resolvedModel, text, toolCalls, toolMessage, userMessage } from "@tinyagents/core";
import { anthropicModel, countTokens } from "@tinyagents/provider-anthropic";
import { describe, expect, it } from "vitest";

/** Costs money: `ANTHROPIC_API_KEY=… npm run live anthropic`. */
const apiKey = process.env.ANTHROPIC_API_KEY ?? "";
const name = process.env.ANTHROPIC_MODEL ?? "claude-haiku-5-5";
const missing = apiKey === "" ? " (skipped: ANTHROPIC_API_KEY is not set)" : "";

const ADD = {
  name: "add",
  description: "Adds two numbers.",
  inputSchema: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] },
};
const BOTH = ["incremental", "whole"] as const;

describe.skipIf(missing !== "")(`Anthropic's own server${missing}`, () => {
  const model = () => anthropicModel(name, { apiKey });
  const ask = async (request: Parameters<ReturnType<typeof model>["stream"]>[0], delivery: (typeof BOTH)[number]) =>
    collect(model().stream(request, { signal: AbortSignal.timeout(120_000), delivery }), resolvedModel(model()));

  it.each(BOTH)("answers, and says what it cost: %s", { timeout: 120_000 }, async (delivery) => {
    const response = await ask({ messages: [userMessage("Say hello.")], maxOutputTokens: 2_000 }, delivery);
    expect(text(response.message)).not.toBe("");
    expect(response.usage?.inputTokens).toBeGreaterThan(0);
  });

  it.each(BOTH)("thinks, calls a tool and takes its thoughts back: %s", { timeout: 240_000 }, async (delivery) => {
    const request = { tools: [ADD], reasoningEffort: "high", maxOutputTokens: 8_000 } as const;
    const question = userMessage("Add 17 and 25 with the tool.");
    const { message } = await ask({ ...request, messages: [question] }, delivery);
    const [call] = toolCalls(message);
    expect(call).toMatchObject({ name: "add", args: { a: 17, b: 25 } });
    const result = toolMessage({ id: call?.id ?? "", name: "add" }, "42");
    const second = await ask({ ...request, messages: [question, message, result] }, delivery);
    expect(text(second.message)).toContain("42");
  });

  it("counts tokens", { timeout: 60_000 }, async () => {
    expect(await countTokens({ messages: [userMessage("Say hello.")] }, { model: name, apiKey })).toBeGreaterThan(3);
  });
});
