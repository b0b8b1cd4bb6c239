import { collect, resolvedModel, text, toolCalls, userMessage } from "@tinyagents/core";
import { ollamaModel, ollamaModels, ollamaProfile } from "@tinyagents/provider-ollama";
import { describe, expect, it } from "vitest";

/** A server that runs: `OLLAMA_HOST=http://127.0.0.1:11434 npm run live ollama`. */
const baseUrl = process.env.OLLAMA_HOST;
const name = process.env.OLLAMA_MODEL;

/** Why nothing can be asked; nothing where it can. */
async function obstacle(): Promise<string | undefined> {
  if (baseUrl === undefined) return "OLLAMA_HOST names no server";
  try {
    const models = await ollamaModels({ baseUrl, signal: AbortSignal.timeout(2_000) });
    return models.length === 0 ? `${baseUrl} has no model` : undefined;
  } catch (error) {
    return `${baseUrl} does not answer: ${error instanceof Error ? error.message : String(error)}`;
  }
}

const missing = await obstacle();
const ADD = {
  name: "add",
  description: "Adds two numbers.",
  inputSchema: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] },
};

describe.skipIf(missing !== undefined)(`a real server${missing === undefined ? "" : ` (skipped: ${missing})`}`, () => {
  it("answers, streamed and whole, and says what it cost", { timeout: 300_000 }, async () => {
    const model = await firstModel();
    for (const delivery of ["incremental", "whole"] as const) {
      const deltas = model.stream({ messages: [userMessage("Say hello.")], seed: 1 }, { signal: undefined, delivery });
      const response = await collect(deltas, resolvedModel(model));
      expect(text(response.message)).not.toBe("");
      expect(response.usage?.inputTokens).toBeGreaterThan(0);
    }
  });

  it("calls a tool, where the model can", { timeout: 300_000 }, async ({ skip }) => {
    const model = await firstModel();
    skip(model.profile.capabilities.tools !== "yes", `${model.id} has no tools`);
    const request = { messages: [userMessage("Add 17 and 25 with the tool.")], tools: [ADD], seed: 1 };
    const deltas = model.stream(request, { signal: undefined, delivery: "incremental" });
    const { message } = await collect(deltas, resolvedModel(model));
    expect(toolCalls(message)[0]).toMatchObject({ name: "add", args: { a: 17, b: 25 } });
  });
});

async function firstModel() {
  const server = { baseUrl };
  const model = name ?? (await ollamaModels(server))[0]?.name ?? "";
  const profile = await ollamaProfile(model, server);
  return ollamaModel(model, { ...server, profile: { ...profile, contextWindow: 4_096 } });
}
