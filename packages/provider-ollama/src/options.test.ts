import { describe, expect, it } from "vitest";
import { ollamaModel, ollamaModels, ollamaProfile } from "./index.js";

describe("a model", () => {
  it("has its name and its profile before anything is sent (MDL-08, PRV-05)", () => {
    const model = ollamaModel("qwen3:8b");
    expect(model.id).toBe("ollama/qwen3:8b");
    expect(model.profile).toMatchObject({ provider: "ollama", model: "qwen3:8b", source: "local" });
  });

  it("claims what Ollama does for every model, and denies what it never does (MDL-08, MDL-09)", () => {
    const { capabilities } = ollamaModel("qwen3").profile;
    expect(capabilities).toEqual({
      streaming: "yes",
      system_messages: "yes",
      temperature: "yes",
      json_mode: "yes",
      structured_output: "yes",
      tool_choice_required: "no",
      tool_choice_named: "no",
      tool_call_streaming: "no",
      audio_input: "no",
      file_input: "no",
    });
  });

  it("has what the application knows over what holds of every model, capability by capability", () => {
    const { profile } = ollamaModel("qwen3", {
      profile: { capabilities: { tools: "yes", json_mode: "no" }, contextWindow: 8_192, family: "qwen3" },
    });
    expect(profile).toMatchObject({ contextWindow: 8_192, family: "qwen3" });
    expect(profile.capabilities).toMatchObject({ tools: "yes", json_mode: "no", streaming: "yes" });
  });

  it("has no more context than the model was made for, whatever is asked for (PA-19)", () => {
    const profile = { contextWindow: 16_384, trainedContextWindow: 8_192 };
    expect(ollamaModel("qwen3", { profile }).profile.contextWindow).toBe(8_192);
  });

  it("is named as it was asked for, whatever profile it is given", () => {
    const { profile } = ollamaModel("mine", { profile: { provider: "other", model: "qwen3" } });
    expect(profile).toMatchObject({ provider: "ollama", model: "mine" });
  });

  it("is known to run elsewhere by its name, or its server", () => {
    for (const model of ["gpt-oss:120b-cloud", "glm-4.6:cloud"]) {
      const { profile } = ollamaModel(model);
      expect(profile).toMatchObject({ source: "cloud", capabilities: { structured_output: "unknown" } });
    }
    expect(ollamaModel("gpt-oss:120b", { baseUrl: "https://ollama.com" }).profile.source).toBe("cloud");
    expect(ollamaModel("cloudy").profile.source).toBe("local");
  });
});

it("refuses options that cannot work, and does not repeat them (SE-08)", () => {
  const wrong: [string, Record<string, unknown>][] = [
    ["", {}],
    ["m", { apiKey: "" }],
    ["m", { apiKey: "canary with\nnewline" }],
    ["m", { baseUrl: "canary" }],
    ["m", { baseUrl: "http://user:canary@x.test" }],
    ["m", { baseUrl: "http://x.test?key=canary" }],
    ["m", { baseUrl: "http://x.test#canary" }],
    ["m", { baseUrl: "ftp://x.test/canary" }],
    ["m", { onTruncation: "canary" }],
    ["m", { profile: { contextWindow: 0 } }],
    ["m", { profile: { contextWindow: 1.5 } }],
  ];
  for (const [model, options] of wrong) {
    const make = () => ollamaModel(model, options as never);
    expect(make, JSON.stringify(options)).toThrow(TypeError);
    expect(make).not.toThrow(/canary/);
  }
});

it("refuses wrong options of discovery as it does a model's", async () => {
  await expect(ollamaProfile("")).rejects.toThrow(TypeError);
  await expect(ollamaModels({ baseUrl: "localhost" })).rejects.toThrow(TypeError);
});
