import { chatModelConformance } from "@tinyagents/conformance/vitest";
import { ollamaModel } from "@tinyagents/provider-ollama";
import { cannot, ollamaWire } from "./ollama-wire.js";

chatModelConformance({
  name: "provider-ollama",
  wire: ollamaWire,
  cannot,
  create: ({ url, apiKey }) =>
    ollamaModel("qwen3", {
      apiKey,
      ...(url === undefined ? {} : { baseUrl: url }),
      profile: { capabilities: { tools: "yes", parallel_tool_calls: "yes", reasoning: "yes", image_input: "yes" } },
    }),
});
