import { expect, it } from "vitest";
import { openaiModel } from "./index.js";

it("names the model, and has its profile before anything is sent (MDL-08, PRV-05)", () => {
  const model = openaiModel("gpt-4o-2024-08-06", { apiKey: "k" });
  expect(model.id).toBe("openai/gpt-4o-2024-08-06");
  expect(model.profile).toMatchObject({ family: "gpt-4o", contextWindow: 128_000, capabilities: { tools: "yes" } });
});

it.each([
  ["gpt-5.5", 1_050_000, "active", "yes"],
  ["gpt-5.2-2025-12-11", 400_000, "active", "yes"],
  ["gpt-4.1", 1_047_576, "active", "no"],
  ["o1-mini", 128_000, "retired", "yes"],
])("knows how much %s reads, where it stands in its life, and whether it thinks (MDL-08)", (...facts) => {
  const [name, contextWindow, lifecycle, reasoning] = facts;
  const { profile } = openaiModel(name, { apiKey: "k" });
  expect(profile).toMatchObject({
    contextWindow,
    lifecycle,
    capabilities: { reasoning },
    releasedOn: expect.any(String),
  });
});

it("claims nothing of a model that it does not know", () => {
  const { profile } = openaiModel("gpt-4o", { apiKey: "k", provider: "local" });
  expect(profile).toMatchObject({ provider: "local", model: "gpt-4o", lifecycle: "unknown" });
  expect(profile.capabilities.tools).toBeUndefined();
});

it("takes what the application knows over what the table says, capability by capability", () => {
  const { profile } = openaiModel("gpt-4o", { apiKey: "k", profile: { capabilities: { image_input: "no" } } });
  expect(profile.capabilities).toMatchObject({ image_input: "no", tools: "yes" });
});

it("refuses options that cannot work, and does not repeat them (SE-08)", () => {
  const wrong: [string, Record<string, unknown>][] = [
    ["", { apiKey: "k" }],
    ["m", {}],
    ["m", { apiKey: "" }],
    ["m", { apiKey: "canary with\nnewline" }],
    ["m", { apiKey: "k", baseUrl: "canary" }],
    ["m", { apiKey: "k", baseUrl: "https://user:canary@x.test/v1" }],
    ["m", { apiKey: "k", baseUrl: "https://x.test/v1?key=canary" }],
    ["m", { apiKey: "k", baseUrl: "https://x.test/v1#canary" }],
    ["m", { apiKey: "k", baseUrl: "ftp://x.test/canary" }],
    ["m", { apiKey: "k", provider: "" }],
  ];
  for (const [model, options] of wrong) {
    const make = () => openaiModel(model, options as never);
    expect(make).toThrow(TypeError);
    expect(make).not.toThrow(/canary/);
  }
});
