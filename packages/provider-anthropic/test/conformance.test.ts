import { chatModelConformance } from "@tinyagents/conformance/vitest";
import { anthropicModel } from "@tinyagents/provider-anthropic";
import { anthropicWire } from "./anthropic-wire.js";

const cannot = {
  usage_charged: "the Messages API says nothing of money",
  finish_content_filter: "the Messages API has no such reason: what its safety system stops is a refusal",
};

chatModelConformance({
  name: "provider-anthropic",
  wire: anthropicWire,
  cannot,
  create: ({ url, apiKey }) =>
    anthropicModel("claude-haiku-4-5", {
      apiKey,
      ...(url === undefined ? {} : { baseUrl: url }),
      // Short enough to be waited for in one piece.
      profile: { maxOutputTokens: 4_096 },
    }),
});

chatModelConformance({
  name: "provider-anthropic, whole answers as streams",
  wire: anthropicWire,
  cannot,
  create: ({ url, apiKey }) =>
    anthropicModel("claude-opus-5", { apiKey, ...(url === undefined ? {} : { baseUrl: url }) }),
});
