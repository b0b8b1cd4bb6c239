import type { JsonObject } from "../json.js";
import { throwIfAborted } from "../signal.js";
import type { ModelWarning } from "./delta.js";
import {
  type DocumentEmbeddings,
  type EmbeddingModel,
  type EmbeddingOptions,
  type EmbeddingProfile,
  readVectors,
  type Vector,
} from "./embedding-model.js";
import { readUsage } from "./read-usage.js";
import { addUsage, type Usage } from "./usage.js";

/** What texts are embedded for. */
export type EmbeddingPurpose = "document" | "query";

/** What a provider answered to one request. */
export interface EmbeddedBatch {
  /** As they came; they are checked. In the order of the texts. */
  readonly vectors: unknown;
  /** The exact model, where the provider says. */
  readonly model?: string | undefined;
  readonly usage?: Usage | undefined;
  readonly warnings?: readonly ModelWarning[] | undefined;
  readonly providerData?: JsonObject | undefined;
}

/** Makes one request, for at most `maxBatch` texts. */
export type EmbedBatch = (
  texts: readonly string[],
  purpose: EmbeddingPurpose,
  options: EmbeddingOptions,
) => Promise<EmbeddedBatch>;

/**
 * An embedding model from its one request: splits lists into the batches of its profile (one batch where it names no
 * size), asks for one after the other, checks the vectors, and adds up what came with them.
 *
 * @throws TypeError for a profile whose sizes are no whole numbers from 1 up; from its methods TypeError for what are no texts, `corrupt_data` for vectors that are none; whatever `embed` rejects with.
 */
export function batchedEmbeddings(profile: EmbeddingProfile, embed: EmbedBatch): EmbeddingModel {
  checkSize("profile.maxBatch", profile.maxBatch);
  checkSize("profile.dimensions", profile.dimensions);
  const id = `${profile.provider}/${profile.model}`;
  const embedAll = async (
    given: readonly string[],
    purpose: EmbeddingPurpose,
    options: EmbeddingOptions = {},
  ): Promise<DocumentEmbeddings> => {
    checkTexts(given);
    checkSize("dimensions", options.dimensions);
    // Whoever gave the list may go on with it while requests are under way.
    const texts = [...given];
    const sum = new Sum(profile, options.dimensions);
    const size = profile.maxBatch ?? texts.length;
    for (let start = 0; start < texts.length; start += size) {
      throwIfAborted(options.signal);
      const batch = texts.slice(start, start + size);
      sum.add(await embed(batch, purpose, options), batch.length);
    }
    return sum.result();
  };
  return {
    id,
    profile,
    embedDocuments: (texts, options) => embedAll(texts, "document", options),
    async embedQuery(text, options) {
      const { vectors, ...record } = await embedAll([text], "query", options);
      return { ...record, vector: vectors[0] as Vector };
    },
  };
}

/** What the requests of one call add up to. */
class Sum {
  readonly #profile: EmbeddingProfile;
  readonly #vectors: Vector[] = [];
  readonly #warnings: ModelWarning[] = [];
  #dimensions: number | undefined;
  #usage: Usage | undefined;
  /** Tokens of one request that are unknown make the sum unknown. */
  #usageKnown = true;
  #last: EmbeddedBatch | undefined;

  constructor(profile: EmbeddingProfile, dimensions: number | undefined) {
    this.#profile = profile;
    this.#dimensions = dimensions ?? profile.dimensions;
  }

  add(batch: EmbeddedBatch, count: number): void {
    const place = `the embeddings of ${this.#profile.provider}`;
    const vectors = readVectors(batch.vectors, { place, count, dimensions: this.#dimensions });
    for (const vector of vectors) this.#vectors.push(vector);
    this.#dimensions ??= vectors[0]?.length;
    this.#warnings.push(...(batch.warnings ?? []));
    this.#last = batch;
    this.#addUsage(batch.usage);
  }

  #addUsage(told: Usage | undefined): void {
    const { usage, faults } = told === undefined ? { usage: undefined, faults: [] } : readUsage(told);
    if (usage === undefined) this.#usageKnown = false;
    else this.#usage = this.#usage === undefined ? ofEmbedding(usage) : addUsage(this.#usage, ofEmbedding(usage));
    if (faults.length === 0) return;
    const message = `The usage that was told is partly wrong, and that part counts as unknown: ${faults.join("; ")}.`;
    this.#warnings.push({ code: "malformed_data", message });
  }

  result(): DocumentEmbeddings {
    const { provider, model } = this.#profile;
    const { providerData, model: exact = model } = this.#last ?? {};
    return {
      vectors: this.#vectors,
      dimensions: this.#dimensions ?? 0,
      model: { id: `${provider}/${model}`, provider, model: exact },
      warnings: this.#warnings,
      ...(this.#usageKnown && this.#usage !== undefined ? { usage: this.#usage } : {}),
      ...(providerData === undefined ? {} : { providerData }),
    };
  }
}

/** All that an embedding model reads is embedded. */
function ofEmbedding(usage: Usage): Usage {
  const { inputTokens, embeddingTokens = inputTokens } = usage;
  return embeddingTokens === undefined ? usage : { ...usage, embeddingTokens };
}

/** @throws TypeError for what is no list of texts. */
export function checkTexts(texts: unknown): void {
  if (!Array.isArray(texts)) throw new TypeError("embedDocuments: a list of texts is expected");
  const at = texts.findIndex((text) => typeof text !== "string");
  if (at !== -1) throw new TypeError(`text ${at + 1} of ${texts.length} that are to be embedded is no string`);
}

/** @throws TypeError for what is no whole number from 1 up, if it is there at all. */
export function checkSize(what: string, size: number | undefined): void {
  if (size === undefined || (Number.isSafeInteger(size) && size > 0)) return;
  throw new TypeError(`${what}: a whole number from 1 up is expected`);
}
