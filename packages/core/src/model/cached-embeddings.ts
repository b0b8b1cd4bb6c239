import { canonicalJson } from "../json.js";
import { throwIfAborted } from "../signal.js";
import { checkSize, checkTexts } from "./batched-embeddings.js";
import type {
  DocumentEmbeddings,
  EmbeddingModel,
  EmbeddingOptions,
  EmbeddingRecord,
  Vector,
} from "./embedding-model.js";
import type { ResolvedModel } from "./profile.js";

/** How many vectors are kept. */
export interface EmbeddingCacheOptions {
  /** Default 10,000. Of more, those that were not wanted for longest are forgotten. A vector of 1,536 numbers has 12 KB. */
  readonly maxVectors?: number | undefined;
}

interface Kept {
  readonly vector: Vector;
  readonly model: ResolvedModel;
}

/**
 * The same embedding model, which is not asked again for a text that it has embedded before: for the same purpose
 * (document or query), with the same options. Kept in memory for as long as the model is; a failed call leaves
 * nothing. Of a text that is asked for twice at the same time, both calls ask. `cached` of a result says how many of its
 * vectors were known; its usage is that of the requests that were made.
 * @throws TypeError for a `maxVectors` that is no whole number from 1 up.
 */
export function cachedEmbeddings(
  model: EmbeddingModel,
  { maxVectors = 10_000 }: EmbeddingCacheOptions = {},
): EmbeddingModel {
  checkSize("cachedEmbeddings: maxVectors", maxVectors);
  const cache = new VectorCache(maxVectors);
  return {
    id: model.id,
    profile: model.profile,
    async embedDocuments(given, options = {}) {
      checkTexts(given);
      throwIfAborted(options.signal);
      const keyOf = keysFor("document", options);
      // Whoever gave the list may go on with it meanwhile.
      const texts = [...given];
      const known = texts.map((text) => cache.take(keyOf(text)));
      const missing = [...new Set(texts.filter((_, at) => known[at] === undefined))];
      if (missing.length === 0 && texts.length > 0) return recordOf(known as Kept[]);
      const asked = await model.embedDocuments(missing, options);
      const fresh = new Map(missing.map((text, at) => [text, asked.vectors[at] as Vector]));
      for (const [text, vector] of fresh) cache.keep(keyOf(text), { vector: vector.slice(), model: asked.model });
      const vectors = texts.map((text, at) => known[at]?.vector.slice() ?? (fresh.get(text) as Vector).slice());
      return { ...asked, vectors, cached: known.filter((one) => one !== undefined).length };
    },
    async embedQuery(text, options = {}) {
      checkTexts([text]);
      throwIfAborted(options.signal);
      const key = keysFor("query", options)(text);
      const known = cache.take(key);
      if (known !== undefined) {
        const { vectors, ...record } = recordOf([known]);
        return { ...record, vector: vectors[0] as Vector };
      }
      const asked = await model.embedQuery(text, options);
      cache.keep(key, { vector: asked.vector.slice(), model: asked.model });
      return { ...asked, cached: 0 };
    },
  };
}

/** What is told where nobody was asked. */
function recordOf(known: readonly Kept[]): DocumentEmbeddings & EmbeddingRecord {
  const [{ vector, model }] = known as [Kept];
  return {
    vectors: known.map((one) => one.vector.slice()),
    dimensions: vector.length,
    model,
    usage: { inputTokens: 0, outputTokens: 0, embeddingTokens: 0, source: "reported" },
    warnings: [],
    cached: known.length,
  };
}

function keysFor(
  purpose: "document" | "query",
  { dimensions, providerOptions }: EmbeddingOptions,
): (text: string) => string {
  const about = `${purpose} ${dimensions ?? ""} ${providerOptions === undefined ? "" : canonicalJson(providerOptions)}`;
  return (text) => `${about}\n${text}`;
}

/** Vectors by their keys; those that were wanted last stand last. */
class VectorCache {
  readonly #most: number;
  readonly #kept = new Map<string, Kept>();

  constructor(most: number) {
    this.#most = most;
  }

  take(key: string): Kept | undefined {
    const kept = this.#kept.get(key);
    if (kept !== undefined) this.keep(key, kept);
    return kept;
  }

  keep(key: string, kept: Kept): void {
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    if (this.#kept.size <= this.#most) return;
    for (const oldest of this.#kept.keys()) {
      this.#kept.delete(oldest);
      return;
    }
  }
}
