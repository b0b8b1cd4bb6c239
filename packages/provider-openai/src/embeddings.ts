import {
  batchedEmbeddings,
  type EmbeddedBatch,
  type EmbeddingModel,
  type EmbeddingOptions,
  type EmbeddingProfile,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  linkedSignal,
  type ModelWarning,
  TinyAgentsError,
} from "@tinyagents/core";
import type { OpenAI } from "openai";
import { toUsage } from "./chat/to-usage.js";
import { createClient, post } from "./client.js";
import { type ConnectionSettings, type OpenAIConnectionOptions, readConnection } from "./connection-options.js";
import { Extras } from "./extras.js";
import { ownOptions } from "./prepare.js";
import { toError } from "./to-error.js";
import { textOf } from "./wire-value.js";

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
  let client: OpenAI | undefined;
  return batchedEmbeddings(profile, async (texts, _purpose, asked) => {
    client ??= createClient(settings);
    const { dimensions, signal } = asked;
    const body = {
      ...ownOptions(asked, settings.provider),
      model,
      input: texts,
      encoding_format: "float",
      ...(dimensions === undefined ? {} : { dimensions }),
    };
    return readBatch(await ask(client, settings, body, signal), settings.provider, texts.length);
  });
}

function profileOf(provider: string, model: string): EmbeddingProfile {
  const dimensions = provider === "openai" ? DIMENSIONS.get(model) : undefined;
  const common = { provider, model, maxBatch: MOST_TEXTS } as const;
  if (dimensions === undefined) return { ...common, lifecycle: "unknown", source: "unknown" };
  return { ...common, dimensions, maxInputTokens: LONGEST_TEXT, lifecycle: "active", source: "cloud" };
}

async function ask(
  client: OpenAI,
  { provider, model, secrets }: ConnectionSettings,
  body: JsonObject,
  signal: EmbeddingOptions["signal"],
): Promise<unknown> {
  const linked = linkedSignal(signal);
  try {
    linked.throwIfAborted();
    const { body: answer } = await post(client, "/embeddings", body, linked.signal);
    linked.throwIfAborted();
    return answer;
  } catch (error) {
    linked.throwIfAborted();
    throw toError(error, { provider, model, secrets });
  } finally {
    linked.release();
  }
}

/** Fields that have a home. */
const ANSWER_FIELDS: ReadonlySet<string> = new Set(["object", "data", "model", "usage"]);

function readBatch(answer: unknown, provider: string, count: number): EmbeddedBatch {
  if (!isJsonObject(answer) || !Array.isArray(answer.data)) throw noEmbeddings(provider);
  const { data, model, usage } = answer;
  const warnings: ModelWarning[] = [];
  const extras = new Extras(ANSWER_FIELDS);
  extras.take(answer);
  return {
    vectors: inOrder(data, count),
    model: textOf(model) || undefined,
    usage: isJsonObject(usage) ? { ...toUsage(usage), outputTokens: 0 } : undefined,
    providerData: extras.safeFields(warnings),
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

function noEmbeddings(provider: string): TinyAgentsError<"provider_server"> {
  return new TinyAgentsError("provider_server", `${provider} sent something that is no list of embeddings.`, {
    details: { provider, providerCode: "malformed_response" },
  });
}
