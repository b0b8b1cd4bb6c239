import { corruptData, readArray, readNumber } from "../guarded-read.js";
import type { JsonObject } from "../json.js";
import type { CallCost } from "./cost.js";
import type { ModelWarning } from "./delta.js";
import type { ModelProfile, ResolvedModel } from "./profile.js";
import type { Usage } from "./usage.js";

/** A direction in the model's space: one number per dimension. */
export type Vector = readonly number[];

/** What is known of an embedding model before it is asked anything. */
export interface EmbeddingProfile extends Pick<ModelProfile, "provider" | "model" | "lifecycle" | "source"> {
  /** How long its vectors are when nobody asks for another length. */
  readonly dimensions?: number;
  /** The longest text, in tokens. */
  readonly maxInputTokens?: number;
  /** How many texts one request of the provider may hold. An adapter splits longer lists. */
  readonly maxBatch?: number;
}

/** How texts are embedded. */
export interface EmbeddingOptions {
  readonly signal?: AbortSignal | undefined;
  /** The length of the vectors, for models that can shorten theirs. */
  readonly dimensions?: number | undefined;
  /** Settings of the provider's own, by provider name. Normalized fields win. */
  readonly providerOptions?: { readonly [provider: string]: JsonObject } | undefined;
}

/** What came with vectors. */
export interface EmbeddingRecord {
  /** Of every vector. */
  readonly dimensions: number;
  readonly model: ResolvedModel;
  /** Of all requests together. Absent means unknown. `outputTokens` is zero: nothing is written. */
  readonly usage?: Usage;
  /** Of all requests together. Absent: nobody asked (see `pricedEmbeddings`), or nobody knows. */
  readonly cost?: CallCost;
  /** How many of the vectors came from a cache; absent where there is none. */
  readonly cached?: number;
  readonly warnings: readonly ModelWarning[];
  /** Whatever else the provider said, of its last request. */
  readonly providerData?: JsonObject;
}

/** Texts as vectors. */
export interface DocumentEmbeddings extends EmbeddingRecord {
  /** In the order of the texts, one for each. */
  readonly vectors: readonly Vector[];
}

/** A question as a vector. */
export interface QueryEmbedding extends EmbeddingRecord {
  readonly vector: Vector;
}

/**
 * A model that places texts in a space where those of like meaning are near. Makes one attempt per request: repeating
 * is the caller's policy. Rejects with `provider_*`, `network`, `cancelled`, `model_not_found`,
 * `context_window_exceeded` and `invalid_request`, as chat models do.
 */
export interface EmbeddingModel {
  /** `provider/model`. */
  readonly id: string;
  readonly profile: EmbeddingProfile;
  /** Texts that are to be found. All or nothing: one that fails fails the call. No texts give no vectors, and no request. */
  embedDocuments(texts: readonly string[], options?: EmbeddingOptions): Promise<DocumentEmbeddings>;
  /** A text to find others with. Some models place it elsewhere than a document of the same words. */
  embedQuery(text: string, options?: EmbeddingOptions): Promise<QueryEmbedding>;
}

/**
 * Vectors that a provider sent, checked: as many as were asked for, of one length, of finite numbers.
 *
 * @param expected `dimensions`: where a length was asked for.
 * @throws `corrupt_data` that names the place.
 */
export function readVectors(
  value: unknown,
  expected: { readonly place: string; readonly count: number; readonly dimensions?: number | undefined },
): readonly Vector[] {
  const { place, count } = expected;
  const vectors = readArray(value, place).map((vector, at) => readVector(vector, `${place}[${at}]`));
  if (vectors.length !== count) {
    throw corruptData(place, `${count} vectors are expected, ${vectors.length} found`);
  }
  const dimensions = expected.dimensions ?? vectors[0]?.length;
  const odd = vectors.findIndex(({ length }) => length !== dimensions);
  if (odd === -1) return vectors;
  throw corruptData(`${place}[${odd}]`, `${dimensions} dimensions are expected, ${vectors[odd]?.length} found`);
}

function readVector(value: unknown, place: string): Vector {
  const vector = readArray(value, place);
  if (vector.length === 0) throw corruptData(place, "a vector without dimensions");
  return vector.map((number, at) => readNumber(number, `${place}[${at}]`));
}
