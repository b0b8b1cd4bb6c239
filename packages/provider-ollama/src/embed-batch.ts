import {
  countOf,
  type EmbeddedBatch,
  type EmbeddingOptions,
  isJsonObject,
  type JsonObject,
  type ModelWarning,
  ownOptions,
  saidFields,
  textOf,
  type Usage,
  unknownFields,
} from "@tinyagents/core";
import { embed } from "./client.js";
import type { ServerSettings } from "./options.js";
import { PROVIDER } from "./profile.js";
import { askServer } from "./server.js";

/** Fields of an answer that have a home. */
const FIELDS: ReadonlySet<string> = new Set(["model", "embeddings", "prompt_eval_count"]);

/** One request. @see https://docs.ollama.com/api/embed */
export async function embedBatch(
  settings: ServerSettings,
  model: string,
  input: readonly string[],
  asked: EmbeddingOptions,
): Promise<EmbeddedBatch> {
  const warnings: ModelWarning[] = [];
  const { dimensions, signal } = asked;
  const own = ownSettings(asked, warnings);
  const body = { ...own, model, input, truncate: false, ...(dimensions === undefined ? {} : { dimensions }) };
  const answer = await askServer(settings, { model, signal, call: embed(body) });
  return {
    vectors: answer.embeddings,
    ...saidFields({
      model: textOf(answer.model),
      usage: toUsage(answer),
      providerData: unknownFields(answer, FIELDS, warnings),
    }),
    warnings,
  };
}

function ownSettings(asked: EmbeddingOptions, warnings: ModelWarning[]): JsonObject {
  const { options, ...own } = ownOptions(asked, PROVIDER);
  if (options === undefined) return own;
  if (isJsonObject(options)) return { ...own, options };
  const message = "providerOptions.ollama.options is no object; it was not sent.";
  warnings.push({ code: "unsupported_setting", setting: "providerOptions", message });
  return own;
}

function toUsage({ prompt_eval_count: tokens }: JsonObject): Usage | undefined {
  const inputTokens = countOf(tokens);
  return inputTokens === undefined ? undefined : { inputTokens, outputTokens: 0, source: "reported" };
}
