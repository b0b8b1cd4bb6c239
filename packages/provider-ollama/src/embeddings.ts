import type { DocumentEmbeddings, EmbeddingModel, EmbeddingOptions, EmbeddingProfile, Vector } from "@tinyagents/core";
import { embedBatches, USUAL_BATCH } from "./embed-batches.js";
import { checkModelName, type OllamaOptions, readServerOptions } from "./options.js";
import { isCloudModel, PROVIDER } from "./profile.js";

/** How to reach an embedding model of an Ollama server, and what is known of it. */
export interface OllamaEmbeddingOptions extends OllamaOptions {
  /** What is known of the model. With `dimensions`, vectors of another length are refused. */
  readonly profile?: Partial<EmbeddingProfile> | undefined;
  /** Stands before each document, for models that were trained with one, as `search_document: `. Default none. */
  readonly documentPrefix?: string | undefined;
  /** Stands before a query, as `search_query: `. Default none. */
  readonly queryPrefix?: string | undefined;
}

/**
 * An embedding model behind Ollama's `/api/embed`. A text that is too long for the model is refused and never cut.
 * @throws TypeError for options that cannot work.
 */
export function ollamaEmbeddings(model: string, options: OllamaEmbeddingOptions = {}): EmbeddingModel {
  checkModelName("ollamaEmbeddings", model);
  const settings = readServerOptions("ollamaEmbeddings", options);
  const profile = profileWith(options.profile, model, isCloudModel(model, settings.baseUrl));
  const { documentPrefix = "", queryPrefix = "" } = options;
  // Async, so that what is wrong with the arguments rejects like everything else.
  const place = async (
    texts: readonly string[],
    prefix: string,
    asked: EmbeddingOptions = {},
  ): Promise<DocumentEmbeddings> => {
    checkTexts(texts);
    checkWhole("dimensions", asked.dimensions);
    const input = prefix === "" ? texts : texts.map((text) => prefix + text);
    return embedBatches(settings, profile, input, asked);
  };
  return {
    id: `${PROVIDER}/${model}`,
    profile,
    embedDocuments: (texts, asked) => place(texts, documentPrefix, asked),
    async embedQuery(text, asked) {
      const { vectors, ...record } = await place([text], queryPrefix, asked);
      return { ...record, vector: vectors[0] as Vector };
    },
  };
}

function profileWith(known: Partial<EmbeddingProfile> = {}, model: string, cloud: boolean): EmbeddingProfile {
  checkWhole("profile.maxBatch", known.maxBatch);
  checkWhole("profile.dimensions", known.dimensions);
  const source = cloud ? "cloud" : "local";
  return { lifecycle: "unknown", source, maxBatch: USUAL_BATCH, ...known, provider: PROVIDER, model };
}

function checkTexts(texts: unknown): void {
  if (!Array.isArray(texts)) throw new TypeError("ollamaEmbeddings: a list of texts is expected");
  const at = texts.findIndex((text) => typeof text !== "string");
  if (at !== -1) throw new TypeError(`ollamaEmbeddings: text ${at + 1} of ${texts.length} is no string`);
}

function checkWhole(name: string, value: number | undefined): void {
  if (value === undefined || (Number.isSafeInteger(value) && value > 0)) return;
  throw new TypeError(`ollamaEmbeddings: ${name} is no whole number above zero`);
}
