import { collect, type ModelRequest, resolvedModel, text, toolCalls, toolMessage, userMessage } from "@tinyagents/core";
import { openaiEmbeddings, openaiModel } from "@tinyagents/provider-openai";
import { describe, expect, it } from "vitest";

/** Costs money: `OPENAI_API_KEY=… npm run live openai`. */
const apiKey = process.env.OPENAI_API_KEY ?? "";
const name = process.env.OPENAI_MODEL ?? "gpt-5-mini";
const embeddingName = process.env.OPENAI_EMBEDDING_MODEL ?? "text-embedding-3-small";
const missing = apiKey === "" ? " (skipped: OPENAI_API_KEY is not set)" : "";

const ADD = {
  name: "add",
  description: "Adds two numbers.",
  inputSchema: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] },
};
const WAYS = (["chat", "responses"] as const).flatMap((api) =>
  (["incremental", "whole"] as const).map((delivery) => [api, delivery] as const),
);

describe.skipIf(missing !== "")(`OpenAI's own server${missing}`, () => {
  const ask = (api: "chat" | "responses", delivery: "incremental" | "whole", request: ModelRequest) => {
    const model = openaiModel(name, { apiKey, api });
    return collect(model.stream(request, { signal: AbortSignal.timeout(120_000), delivery }), resolvedModel(model));
  };

  it.each(WAYS)("answers, and says what it cost: %s, %s", { timeout: 120_000 }, async (api, delivery) => {
    const request = { messages: [userMessage("Say hello.")], maxOutputTokens: 2_000 };
    const { message, usage } = await ask(api, delivery, request);
    expect(text(message)).not.toBe("");
    expect(usage?.inputTokens).toBeGreaterThan(0);
  });

  it.each(WAYS)("calls a tool and takes the result: %s, %s", { timeout: 240_000 }, async (api, delivery) => {
    const request = { tools: [ADD], maxOutputTokens: 4_000 };
    const question = userMessage("Add 17 and 25 with the tool.");
    const { message } = await ask(api, delivery, { ...request, messages: [question] });
    const [call] = toolCalls(message);
    expect(call).toMatchObject({ name: "add", args: { a: 17, b: 25 } });
    const result = toolMessage({ id: call?.id ?? "", name: "add" }, "42");
    const second = await ask(api, delivery, { ...request, messages: [question, message, result] });
    expect(text(second.message)).toContain("42");
  });

  it.each(["chat", "responses"] as const)("keeps to a schema: %s", { timeout: 120_000 }, async (api) => {
    const schema = {
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
      additionalProperties: false,
    };
    const { message } = await ask(api, "whole", {
      messages: [userMessage("What is the capital of France?")],
      responseFormat: { type: "json_schema", name: "capital", schema, strict: true },
      maxOutputTokens: 2_000,
    });
    expect(JSON.parse(text(message))).toEqual({ city: "Paris" });
  });

  it("says that a model is not there", { timeout: 60_000 }, async () => {
    const model = openaiModel("no-such-model", { apiKey });
    const deltas = model.stream(
      { messages: [userMessage("Say hello.")] },
      { signal: AbortSignal.timeout(60_000), delivery: "whole" },
    );
    await expect(collect(deltas, resolvedModel(model))).rejects.toMatchObject({ code: "model_not_found" });
  });

  it("embeds texts, and a query in the same space", { timeout: 60_000 }, async () => {
    const model = openaiEmbeddings(embeddingName, { apiKey });
    const { vectors, dimensions, usage } = await model.embedDocuments(["A river.", "A mountain."], { dimensions: 64 });
    expect([vectors.length, dimensions]).toEqual([2, 64]);
    expect(usage?.inputTokens).toBeGreaterThan(0);
    expect((await model.embedQuery("Where does water flow?", { dimensions: 64 })).vector).toHaveLength(64);
  });
});
