import {
  addUsage,
  type DocumentEmbeddings,
  type EmbeddingOptions,
  type EmbeddingProfile,
  isJsonObject,
  type JsonObject,
  type ModelWarning,
  readVectors,
  type Usage,
  type Vector,
} from "@tinyagents/core";
import { embed } from "./client.js";
import { textOf, unknownFields } from "./extras.js";
import type { ServerSettings } from "./options.js";
import { PROVIDER } from "./profile.js";
import { askServer } from "./server.js";
import { count } from "./to-usage.js";

/** How many texts a request holds unless the profile says otherwise. */
export const USUAL_BATCH = 64;

/** Fields of an answer that have a home. */
const FIELDS: ReadonlySet<string> = new Set(["model", "embeddings", "prompt_eval_count"]);

/** One request after the other: the server works on one at a time, and the rest would only wait there. */
export async function embedBatches(
  settings: ServerSettings,
  profile: EmbeddingProfile,
  texts: readonly string[],
  asked: EmbeddingOptions,
): Promise<DocumentEmbeddings> {
  const { model, maxBatch = USUAL_BATCH } = profile;
  const warnings: ModelWarning[] = [];
  const vectors: Vector[] = [];
  const usages: (Usage | undefined)[] = [];
  const own = ownSettings(asked, warnings);
  let last: JsonObject = {};
  for (let start = 0; start < texts.length; start += maxBatch) {
    const input = texts.slice(start, start + maxBatch);
    const body = toBody(own, model, input, asked.dimensions);
    last = await askServer(settings, { model, signal: asked.signal, call: embed(body) });
    const dimensions = asked.dimensions ?? profile.dimensions ?? vectors[0]?.length;
    const place = "the embeddings of ollama";
    for (const vector of readVectors(last.embeddings, { place, count: input.length, dimensions })) vectors.push(vector);
    usages.push(toUsage(last));
  }
  const usage = usages.length === 0 ? undefined : usages.reduce(addKnown);
  const providerData = unknownFields(last, FIELDS, warnings);
  return {
    vectors,
    dimensions: vectors[0]?.length ?? asked.dimensions ?? profile.dimensions ?? 0,
    model: { id: `${PROVIDER}/${model}`, provider: PROVIDER, model: textOf(last.model) || model },
    warnings,
    ...(usage === undefined ? {} : { usage }),
    ...(providerData === undefined ? {} : { providerData }),
  };
}

/** @see https://docs.ollama.com/api/embed */
function toBody(own: JsonObject, model: string, input: readonly string[], dimensions: number | undefined): JsonObject {
  return { ...own, model, input, truncate: false, ...(dimensions === undefined ? {} : { dimensions }) };
}

function ownSettings({ providerOptions }: EmbeddingOptions, warnings: ModelWarning[]): JsonObject {
  const { options, ...own } = providerOptions?.[PROVIDER] ?? {};
  if (options === undefined) return own;
  if (isJsonObject(options)) return { ...own, options };
  const message = "providerOptions.ollama.options is no object; it was not sent.";
  warnings.push({ code: "unsupported_setting", setting: "providerOptions", message });
  return own;
}

const NOTHING_USED: Usage = { inputTokens: 0, outputTokens: 0, source: "reported" };

function toUsage({ prompt_eval_count: tokens }: JsonObject): Usage | undefined {
  const inputTokens = count(tokens);
  return inputTokens === undefined ? undefined : { ...NOTHING_USED, inputTokens };
}

/** Tokens of one request that are unknown make the sum unknown. */
function addKnown(sum: Usage | undefined, next: Usage | undefined): Usage | undefined {
  return sum === undefined || next === undefined ? undefined : addUsage(sum, next);
}
