import { chatModelConformance } from "@tinyagents/conformance/vitest";
import { openaiModel } from "@tinyagents/provider-openai";
import { openaiWire } from "./openai-wire.js";

for (const api of ["chat", "responses"] as const) {
  chatModelConformance({
    name: `provider-openai (${api})`,
    wire: openaiWire,
    create: ({ url, apiKey }) =>
      openaiModel("gpt-4o", { apiKey, api, baseUrl: url, profile: { capabilities: { reasoning: "yes" } } }),
  });
}
