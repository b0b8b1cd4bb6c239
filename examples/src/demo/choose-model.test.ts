import { describe, expect, it } from "vitest";
import { chooseModel } from "./choose-model.js";

describe("chooseModel", () => {
  it("knows the offline model and models of OpenAI", () => {
    expect(chooseModel("mock", { env: {}, delayMs: 0 }).id).toBe("mock/rules-1");
    const env = { OPENAI_API_KEY: "secret-key", OPENAI_BASE_URL: "http://127.0.0.1:1/v1" };
    expect(chooseModel("openai/gpt-5", { env, delayMs: 0 }).id).toBe("openai/gpt-5");
  });

  it("knows models of the other providers, and of servers that speak OpenAI's API", () => {
    const env = { ANTHROPIC_API_KEY: "secret-key", GROQ_API_KEY: "secret-key" };
    for (const name of ["anthropic/claude-haiku-4-5", "ollama/qwen3", "groq/llama-3.3-70b", "lmstudio/a/b"]) {
      expect(chooseModel(name, { env, delayMs: 0 }).id).toBe(name);
    }
  });

  it.each([
    ["gpt-5", {}, /not known/],
    ["openai/", {}, /not known/],
    ["acme/gpt-5", {}, /not known.*anthropic, azure, .*openai/],
    ["anthropic/c", {}, /ANTHROPIC_API_KEY/],
    ["groq/m", {}, /GROQ_API_KEY/],
    ["azure/m", { AZURE_API_KEY: "secret-key" }, /AZURE_BASE_URL/],
    ["ollama/m", { OLLAMA_HOST: "localhost" }, /OLLAMA_HOST/],
    ["openai/gpt-5", {}, /OPENAI_API_KEY/],
    ["openai/gpt-5", { OPENAI_API_KEY: " " }, /OPENAI_API_KEY/],
    ["openai/gpt-5", { OPENAI_API_KEY: "secret-key", OPENAI_BASE_URL: "localhost" }, /OPENAI_BASE_URL/],
    ["openai/gpt-5", { OPENAI_API_KEY: "secret key" }, /OPENAI_API_KEY/],
  ])("refuses %j with %j, and never shows the key", (name, env, message) => {
    const choose = () => chooseModel(name, { env, delayMs: 0 });
    expect(choose).toThrow(expect.objectContaining({ name: "UsageError", message: expect.stringMatching(message) }));
    expect(choose).not.toThrow(/secret/);
  });
});
