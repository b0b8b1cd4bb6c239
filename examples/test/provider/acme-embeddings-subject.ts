import {
  type EmbeddingModelSubject,
  type EmbeddingScenario,
  embeddingScenarios,
  scenarioVectors,
} from "@tinyagents/conformance";
import { acmeEmbeddings } from "../../src/provider/acme-embeddings.js";
import { acmeServer, refuse, sendBody, type Turn } from "./acme-server.js";

/** What is to be checked: `npx @tinyagents/conformance embeddings acme-embeddings-subject.ts`. */
export const subject: EmbeddingModelSubject = {
  name: "acme (embeddings)",
  create: ({ url, apiKey, profile }) =>
    acmeEmbeddings("acme-embed-1", { apiKey, ...profile, ...(url === undefined ? {} : { baseUrl: url }) }),
  wire: { start: (name) => acmeServer((turn) => play(embeddingScenarios[name], turn)) },
};

function play(scenario: EmbeddingScenario, turn: Turn): void {
  const { failure, manner, retryAfterMs } = scenario;
  if (manner === "silence") return;
  if (failure !== undefined) {
    refuse(turn, failure, retryAfterMs);
    return;
  }
  const { texts, dimensions } = turn.body;
  const list = Array.isArray(texts) ? texts.map(String) : [];
  const vectors = scenarioVectors(scenario, list, typeof dimensions === "number" ? dimensions : undefined);
  sendBody(turn, { vectors, tokens: list.length }, manner === "cut");
}
