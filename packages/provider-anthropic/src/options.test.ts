import { describe, expect, it } from "vitest";
import { anthropicModel, countTokens } from "./index.js";
import { readOptions } from "./options.js";

it("names the model, and has its profile before anything is sent (MDL-08, PRV-05)", () => {
  const model = anthropicModel("claude-haiku-4-5-20251001", { apiKey: "k" });
  expect(model.id).toBe("anthropic/claude-haiku-4-5-20251001");
  expect(model.profile).toMatchObject({
    family: "claude-haiku-4-5",
    contextWindow: 200_000,
    maxOutputTokens: 64_000,
    releasedOn: "2025-10-15",
    lifecycle: "active",
    capabilities: { tools: "yes", structured_output: "yes", json_mode: "no", temperature: "no" },
  });
});

it("tells models that are much alike apart", () => {
  const known = ["claude-opus-5", "claude-opus-5-5", "claude-opus-4-5"].map((name) => {
    const { family, capabilities, lifecycle } = anthropicModel(name, { apiKey: "k" }).profile;
    return [family, capabilities.tool_choice_required, lifecycle];
  });
  expect(known).toEqual([
    ["claude-opus-5", "yes", "active"],
    ["claude-opus-5-5", "no", "active"],
    ["claude-opus-4-5", "yes", "deprecated"],
  ]);
});

it("claims nothing of a model that it does not know, but what the API itself denies", () => {
  const { profile } = anthropicModel("claude-opus-5", { apiKey: "k", provider: "local" });
  expect(profile).toMatchObject({ provider: "local", model: "claude-opus-5", lifecycle: "unknown" });
  expect(profile.capabilities).toEqual({ streaming: "yes", json_mode: "no", audio_input: "no" });
  for (const name of ["claude-next", "claude-opus-5-next"]) {
    const next = anthropicModel(name, { apiKey: "k" }).profile;
    expect([next.lifecycle, next.capabilities.temperature]).toEqual(["unknown", "no"]);
  }
});

it("takes what the application knows over what the table says, capability by capability", () => {
  const { profile } = anthropicModel("claude-opus-5", {
    apiKey: "k",
    profile: { capabilities: { image_input: "no" } },
  });
  expect(profile.capabilities).toMatchObject({ image_input: "no", tools: "yes" });
});

it("takes a base URL with its version and without", () => {
  for (const baseUrl of ["http://a.test", "http://a.test/", "http://a.test/v1", "http://a.test/v1/"]) {
    expect(readOptions("x", "m", { apiKey: "k", baseUrl }).baseUrl).toBe("http://a.test");
  }
});

describe("options that cannot work", () => {
  const wrong: [string, Record<string, unknown>][] = [
    ["", { apiKey: "k" }],
    ["m", {}],
    ["m", { apiKey: "" }],
    ["m", { apiKey: "canary with\nnewline" }],
    ["m", { apiKey: "k", baseUrl: "canary" }],
    ["m", { apiKey: "k", baseUrl: "https://user:canary@x.test" }],
    ["m", { apiKey: "k", baseUrl: "https://x.test?key=canary" }],
    ["m", { apiKey: "k", baseUrl: "https://x.test#canary" }],
    ["m", { apiKey: "k", baseUrl: "ftp://x.test/canary" }],
    ["m", { apiKey: "k", provider: "" }],
    ["m", { apiKey: "k", cache: "canary" }],
    ["m", { apiKey: "k", cache: { ttl: "canary" } }],
    ["m", { apiKey: "k", cache: null }],
    ["m", { apiKey: "k", thinking: "canary" }],
  ];

  it.each(wrong)("are refused and not repeated: %s %j (SE-08)", async (model, options) => {
    const make = () => anthropicModel(model, options as never);
    expect(make).toThrow(TypeError);
    expect(make).toThrow(/^anthropicModel: /);
    expect(make).not.toThrow(/canary/);
    await expect(countTokens({ messages: [] }, { ...options, model } as never)).rejects.toThrow(/^countTokens: /);
  });
});
