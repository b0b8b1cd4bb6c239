import {
  batchedEmbeddings,
  type EmbeddedBatch,
  type EmbeddingModel,
  type EmbeddingProfile,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  keptHeaders,
  type ModelWarning,
  malformedAnswer,
  ownOptions,
  providerAnswer,
  saidFields,
  textOf,
  unknownFields,
} from "@tinyagents/core";
import type { OpenAI } from "openai";
import { toUsage } from "./chat/to-usage.js";
import { createClient, post } from "./client.js";
import { type OpenAIConnectionOptions, readConnection } from "./connection-options.js";
import { toError } from "./to-error.js";

/** How to reach an embedding model, and what is known of it. */
export interface OpenAIEmbeddingOptions extends OpenAIConnectionOptions {
  /** Wins over the built-in table. */
  readonly profile?: Partial<EmbeddingProfile> | undefined;
}

/** The most texts that one request may hold. @see https://platform.openai.com/docs/api-reference/embeddings/create */
const MOST_TEXTS = 2_048;

/** Name, and dimensions unless others are asked for. @see https://platform.openai.com/docs/guides/embeddings */
const DIMENSIONS: ReadonlyMap<string, number> = new Map([
  ["text-embedding-3-small", 1_536],
  ["text-embedding-3-large", 3_072],
  ["text-embedding-ada-002", 1_536],
]);
const LONGEST_TEXT = 8_192;

/**
 * An embedding model behind OpenAI's `/embeddings`, or behind a server that speaks it.
 * @throws TypeError for options that cannot work.
 */
export function openaiEmbeddings(model: string, options: OpenAIEmbeddingOptions): EmbeddingModel {
  const settings = readConnection("openaiEmbeddings", model, options);
  const profile: EmbeddingProfile = { ...profileOf(settings.provider, model), ...options.profile };
  const { provider, secrets } = settings;
  let client: OpenAI | undefined;
  return batchedEmbeddings(profile, async (texts, _purpose, asked) => {
    const { dimensions, signal } = asked;
    const body = {
      ...ownOptions(asked, provider),
      model,
      input: texts,
      encoding_format: "float",
      ...(dimensions === undefined ? {} : { dimensions }),
    };
    const ask = (linked: AbortSignal) => {
      client ??= createClient(settings);
      return post(client, "/embeddings", body, linked);
    };
    const question = { provider, model, secrets, signal, failed: toError, ask };
    const { body: answer, headers } = await providerAnswer(question);
    return readBatch(answer, { provider, count: texts.length, headers: keptHeaders(headers, secrets) });
  });
}

function profileOf(provider: string, model: string): EmbeddingProfile {
  const dimensions = provider === "openai" ? DIMENSIONS.get(model) : undefined;
  const common = { provider, model, maxBatch: MOST_TEXTS } as const;
  if (dimensions === undefined) return { ...common, lifecycle: "unknown", source: "unknown" };
  return { ...common, dimensions, maxInputTokens: LONGEST_TEXT, lifecycle: "active", source: "cloud" };
}

/** Fields that have a home. */
const ANSWER_FIELDS: ReadonlySet<string> = new Set(["object", "data", "model", "usage"]);

/** What was asked for, and what came beside the answer. */
interface Asked {
  readonly provider: string;
  /** How many texts. */
  readonly count: number;
  readonly headers: JsonObject | undefined;
}

function readBatch(answer: unknown, { provider, count, headers }: Asked): EmbeddedBatch {
  if (!isJsonObject(answer) || !Array.isArray(answer.data)) throw malformedAnswer(provider, "is no list of embeddings");
  const { data, model, usage } = answer;
  const warnings: ModelWarning[] = [];
  const told = isJsonObject(usage) ? { ...toUsage(usage), outputTokens: 0 } : undefined;
  const providerData = { ...unknownFields(answer, ANSWER_FIELDS, warnings), ...saidFields({ headers }) };
  return {
    vectors: inOrder(data, count),
    ...saidFields({ model: textOf(model), usage: told, providerData }),
    warnings,
  };
}

/** Vectors say which text they belong to; where they do not, they stand in the order of the texts. */
function inOrder(data: readonly JsonValue[], count: number): readonly JsonValue[] {
  const vectors: JsonValue[] = data.map((entry) => (isJsonObject(entry) ? (entry.embedding ?? null) : null));
  const placed: JsonValue[] = Array(count).fill(null);
  for (const [at, entry] of data.entries()) {
    const index = isJsonObject(entry) && typeof entry.index === "number" ? entry.index : -1;
    if (!(index >= 0 && index < count) || placed[index] !== null) return vectors;
    placed[index] = vectors[at] ?? null;
  }
  return data.length === count ? placed : vectors;
}
