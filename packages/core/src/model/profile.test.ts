import { describe, expect, test } from "vitest";
import { streamOf } from "../../test/support.js";
import { userMessage } from "../message/build.js";
import { type ChatModel, resolvedModel } from "./chat-model.js";
import { type Capability, lackingCapabilities, lackingMedia, type ModelProfile, support } from "./profile.js";
import type { ModelRequest } from "./request.js";

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

describe("what a request needs and a model lacks", () => {
  const having = (capabilities: ModelProfile["capabilities"]): ModelProfile => ({ ...profile, capabilities });
  const tools = [{ name: "t", description: "", inputSchema: {} }];
  const named = { type: "tool", name: "t" } as const;

  test("is whatever it requires and the profile does not affirm", () => {
    const requires = ["tools", "reasoning", "streaming", "json_mode"] as const;
    expect(lackingCapabilities(profile, { requires })).toEqual(["reasoning", "streaming", "json_mode"]);
    expect(lackingCapabilities(profile, {})).toEqual([]);
  });

  test.each([
    ["tools", { tools }],
    ["structured_output", { responseFormat: { type: "json_schema", name: "x", schema: {} } }],
    ["json_mode", { responseFormat: { type: "json" } }],
    ["tool_choice_required", { tools, toolChoice: "required" }],
    ["tool_choice_named", { tools: [...tools, ...tools], toolChoice: named }],
  ] satisfies [Capability, Partial<ModelRequest>][])(
    "is %s where it is implied and denied, not where it is unknown",
    (need, request) => {
      expect(lackingCapabilities(having({ [need]: "no" }), request)).toEqual([need]);
      expect(lackingCapabilities(having({ [need]: "unknown" }), request)).toEqual([]);
      expect(lackingCapabilities(having({ [need]: "no" }), {})).toEqual([]);
    },
  );

  test("is no named choice where the one tool can be demanded without its name", () => {
    const request = { tools, toolChoice: named };
    expect(lackingCapabilities(having({ tool_choice_named: "no" }), request)).toEqual([]);
    expect(lackingCapabilities(having({ tool_choice_named: "no", tool_choice_required: "no" }), request)).toEqual([
      "tool_choice_named",
    ]);
  });

  test("counts what the messages imply for whoever says it, and each capability once", () => {
    const denied = having({ system_messages: "no", tools: "no" });
    expect(lackingCapabilities(denied, { tools, requires: ["tools"] }, ["system_messages", "image_input"])).toEqual([
      "tools",
      "system_messages",
    ]);
  });

  test("is each medium that is in the messages and denied", () => {
    const source = { type: "base64", data: "AA==", mediaType: "image/png" } as const;
    const messages = [userMessage([{ type: "image", source }]), userMessage([{ type: "file", source }])];
    const denied = having({ image_input: "no", audio_input: "no", file_input: "no" });
    expect(lackingMedia(denied, messages)).toEqual(["image_input", "file_input"]);
    expect(lackingMedia(having({ file_input: "unknown" }), messages)).toEqual([]);
  });

  test("is not looked for in messages that the profile denies no medium of", () => {
    const untouched = new Proxy([], {
      get: () => {
        throw new Error("the history was walked");
      },
    });
    expect(lackingMedia(profile, untouched)).toEqual([]);
  });
});

test("a model is recorded under its name on the wire, or the exact version where the provider said one", () => {
  const model: ChatModel = { id: "mock/one", profile, stream: () => streamOf() };
  expect(resolvedModel(model)).toEqual({ id: "mock/one", provider: "mock", model: "one" });
  expect(resolvedModel(model, "one-2024")).toEqual({ id: "mock/one", provider: "mock", model: "one-2024" });
});
