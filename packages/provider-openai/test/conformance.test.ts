import { chatModelConformance } from "@tinyagents/conformance/vitest";
import { openaiModel } from "@tinyagents/provider-openai";
import { openaiWire } from "./openai-wire.js";

chatModelConformance({
  name: "provider-openai",
  wire: openaiWire,
  create: ({ url, apiKey }) =>
    openaiModel("gpt-4o", {
      apiKey,
      ...(url === undefined ? {} : { baseUrl: url }),
      profile: { capabilities: { reasoning: "yes" } },
    }),
});
