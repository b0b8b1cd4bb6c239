import {
  type EmbeddingModelSubject,
  type EmbeddingScenario,
  embeddingScenarios,
  scenarioVectors,
} from "@tinyagents/conformance";
import { openaiWireServer, type WireReply, type WireRequest } from "@tinyagents/testkit/wire";
import { failures } from "./openai-wire.js";

/** Scenarios of embeddings in OpenAI's words, on a real socket. */
export const embeddingWire: NonNullable<EmbeddingModelSubject["wire"]> = {
  async start(name) {
    const scenario = embeddingScenarios[name];
    const server = await openaiWireServer((request) => replyTo(scenario, request), { extraParams: ["x_conformance"] });
    return { url: server.url, close: () => server.close(), requests: () => server.requests };
  },
};

function replyTo(scenario: EmbeddingScenario, request: WireRequest): WireReply {
  const { failure, manner, retryAfterMs, vectors } = scenario;
  if (failure !== undefined) {
    const hint = retryAfterMs === undefined ? {} : { retryAfter: retryAfterMs / 1_000 };
    return { ...failures[failure](request), ...hint };
  }
  if (manner === "silence") return { faults: [{ type: "silence" }] };
  const { input, dimensions, model = "" } = request.body;
  const texts = Array.isArray(input) ? input.map(String) : [String(input)];
  const embeddings = scenarioVectors(scenario, texts, typeof dimensions === "number" ? dimensions : undefined);
  if (vectors === "one_missing") {
    const data = embeddings.map((embedding, index) => ({ object: "embedding", index, embedding }));
    return { whole: { object: "list", data, model } };
  }
  const usage = { inputTokens: texts.length, outputTokens: 0 };
  return { embeddings, usage, ...(manner === "cut" ? { faults: [{ type: "cut", afterFrames: 1 }] } : {}) };
}
