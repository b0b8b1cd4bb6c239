import { chatModelConformance, embeddingModelConformance } from "@tinyagents/conformance/vitest";
import { openaiCompatible, openaiEmbeddings, openaiModel } from "@tinyagents/provider-openai";
import { embeddingWire } from "./embedding-wire.js";
import { openaiWire } from "./openai-wire.js";

const cannot = { usage_charged: "OpenAI says nothing of money: routers do, in Chat Completions" };
const numbered = "events of the Responses API are told apart by numbers that they always have";

for (const api of ["chat", "responses"] as const) {
  chatModelConformance({
    name: `provider-openai (${api})`,
    wire: openaiWire,
    cannot: api === "chat" ? cannot : { ...cannot, tool_calls_unindexed: numbered, tool_calls_one_index: numbered },
    create: ({ url, apiKey }) =>
      openaiModel("gpt-4o", {
        apiKey,
        api,
        baseUrl: url,
        // Chat Completions alone has audio in.
        profile: { capabilities: { reasoning: "yes", audio_input: api === "chat" ? "yes" : "no" } },
      }),
  });
}

chatModelConformance({
  name: "provider-openai (a router)",
  wire: openaiWire,
  create: ({ url, apiKey }) =>
    openaiCompatible("gpt-4o", {
      preset: "openrouter",
      apiKey,
      baseUrl: url,
      profile: { capabilities: { tools: "yes", tool_call_streaming: "yes", reasoning: "yes" } },
    }),
});

embeddingModelConformance({
  name: "provider-openai (embeddings)",
  wire: embeddingWire,
  create: ({ url, apiKey, profile }) => openaiEmbeddings("embed-1", { apiKey, baseUrl: url, profile }),
});
