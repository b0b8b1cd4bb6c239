import { chatModelConformance, embeddingModelConformance } from "@tinyagents/conformance/vitest";
import { ollamaEmbeddings, ollamaModel } from "@tinyagents/provider-ollama";
import { embeddingWire } from "./embedding-wire.js";
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

embeddingModelConformance({
  name: "provider-ollama (embeddings)",
  wire: embeddingWire,
  create: ({ url, apiKey, profile }) =>
    ollamaEmbeddings("embed-1", { apiKey, ...(url === undefined ? {} : { baseUrl: url }), profile }),
});
