import { expect, test } from "vitest";
import { streamOf } from "../../test/support.js";
import { type ChatModel, resolvedModel } from "./chat-model.js";
import { type ModelProfile, missingCapabilities, support } from "./profile.js";

const profile: ModelProfile = {
  provider: "mock",
  model: "one",
  capabilities: { tools: "yes", reasoning: "no", streaming: "unknown" },
  lifecycle: "active",
  source: "local",
};

test("what nobody has said of a model is unknown", () => {
  expect([support(profile, "tools"), support(profile, "reasoning"), support(profile, "json_mode")]).toEqual([
    "yes",
    "no",
    "unknown",
  ]);
});

test("a capability is missing unless the profile affirms it", () => {
  expect(missingCapabilities(profile, ["tools", "reasoning", "streaming", "json_mode"])).toEqual([
    "reasoning",
    "streaming",
    "json_mode",
  ]);
  expect(missingCapabilities(profile, [])).toEqual([]);
});

test("a model is recorded under its name on the wire, or the exact version where the provider said one", () => {
  const model: ChatModel = { id: "mock/one", profile, stream: () => streamOf() };
  expect(resolvedModel(model)).toEqual({ id: "mock/one", provider: "mock", model: "one" });
  expect(resolvedModel(model, "one-2024")).toEqual({ id: "mock/one", provider: "mock", model: "one-2024" });
});
