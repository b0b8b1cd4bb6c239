import {
  batchedEmbeddings,
  type EmbeddingModel,
  isJsonObject,
  isTinyAgentsError,
  onAbort,
  throwIfAborted,
} from "@tinyagents/core";
import { networkError, refusal } from "./acme-errors.js";

/** How to reach Acme, and how many texts one request may hold. */
export interface AcmeEmbeddingOptions {
  readonly apiKey: string;
  readonly baseUrl?: string;
  readonly maxBatch?: number;
}

/** An embedding model behind Acme's `/embed`. */
export function acmeEmbeddings(model: string, options: AcmeEmbeddingOptions): EmbeddingModel {
  const { apiKey, baseUrl = "https://api.acme.example", maxBatch = 96 } = options;
  const profile = { provider: "acme", model, maxBatch, lifecycle: "active", source: "cloud" } as const;
  return batchedEmbeddings(profile, async (texts, _purpose, { signal, dimensions, providerOptions }) => {
    throwIfAborted(signal);
    const connection = new AbortController();
    const unlink = onAbort(signal, () => connection.abort());
    try {
      const response = await fetch(`${baseUrl}/embed`, {
        method: "POST",
        headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
        body: JSON.stringify({ ...providerOptions?.acme, model, texts, dimensions }),
        signal: connection.signal,
      });
      if (!response.ok) throw refusal(await response.text(), { model, apiKey, response });
      const answer: unknown = await response.json();
      const { vectors, tokens } = isJsonObject(answer) ? answer : {};
      const known = typeof tokens === "number" ? { inputTokens: tokens } : {};
      return { vectors, usage: { ...known, outputTokens: 0, source: "reported" } };
    } catch (error) {
      throwIfAborted(signal);
      throw isTinyAgentsError(error) ? error : networkError(error, apiKey, "");
    } finally {
      unlink();
    }
  });
}
