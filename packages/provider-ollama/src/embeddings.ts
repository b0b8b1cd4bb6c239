import { batchedEmbeddings, type EmbeddingModel, type EmbeddingProfile } from "@tinyagents/core";
import { embedBatch } from "./embed-batch.js";
import { checkModelName, type OllamaOptions, readServerOptions } from "./options.js";
import { isCloudModel, PROVIDER } from "./profile.js";

/** How many texts a request holds unless the profile says otherwise. */
const USUAL_BATCH = 64;

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
  return batchedEmbeddings(profile, (texts, purpose, asked) => {
    const prefix = purpose === "query" ? queryPrefix : documentPrefix;
    const input = prefix === "" ? texts : texts.map((text) => prefix + text);
    return embedBatch(settings, model, input, asked);
  });
}

function profileWith(known: Partial<EmbeddingProfile> = {}, model: string, cloud: boolean): EmbeddingProfile {
  checkWhole("profile.maxBatch", known.maxBatch);
  checkWhole("profile.dimensions", known.dimensions);
  const source = cloud ? "cloud" : "local";
  return { lifecycle: "unknown", source, maxBatch: USUAL_BATCH, ...known, provider: PROVIDER, model };
}

function checkWhole(name: string, value: number | undefined): void {
  if (value === undefined || (Number.isSafeInteger(value) && value > 0)) return;
  throw new TypeError(`ollamaEmbeddings: ${name} is no whole number above zero`);
}
