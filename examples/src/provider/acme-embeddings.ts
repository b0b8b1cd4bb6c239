import {
  batchedEmbeddings,
  type EmbeddingModel,
  isJsonObject,
  ownOptions,
  providerAnswer,
  reportedUsage,
} from "@tinyagents/core";
import { type AcmeOptions, post } from "./acme-client.js";

/** How to reach Acme, and how many texts one request may hold. */
export interface AcmeEmbeddingOptions extends AcmeOptions {
  readonly maxBatch?: number;
}

/** An embedding model behind Acme's `/embed`. */
export function acmeEmbeddings(model: string, { maxBatch = 96, ...options }: AcmeEmbeddingOptions): EmbeddingModel {
  const call = { provider: "acme", model, secrets: [options.apiKey] };
  const profile = { provider: "acme", model, maxBatch, lifecycle: "active", source: "cloud" } as const;
  return batchedEmbeddings(profile, (texts, _purpose, asked) => {
    const body = { ...ownOptions(asked, "acme"), model, texts, dimensions: asked.dimensions };
    return providerAnswer({
      ...call,
      signal: asked.signal,
      async ask(signal) {
        const answer: unknown = await (await post({ ...options, path: "/embed", body, signal }, call)).json();
        const { vectors, tokens } = isJsonObject(answer) ? answer : {};
        return { vectors, usage: reportedUsage({ inputTokens: tokens, outputTokens: 0 }) };
      },
    });
  });
}
