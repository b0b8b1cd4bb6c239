import {
  type EmbeddedBatch,
  type EmbeddingOptions,
  isJsonObject,
  type JsonObject,
  type ModelWarning,
  type Usage,
} from "@tinyagents/core";
import { embed } from "./client.js";
import { textOf, unknownFields } from "./extras.js";
import type { ServerSettings } from "./options.js";
import { PROVIDER } from "./profile.js";
import { askServer } from "./server.js";
import { count } from "./to-usage.js";

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
    model: textOf(answer.model) || undefined,
    usage: toUsage(answer),
    warnings,
    providerData: unknownFields(answer, FIELDS, warnings),
  };
}

function ownSettings({ providerOptions }: EmbeddingOptions, warnings: ModelWarning[]): JsonObject {
  const { options, ...own } = providerOptions?.[PROVIDER] ?? {};
  if (options === undefined) return own;
  if (isJsonObject(options)) return { ...own, options };
  const message = "providerOptions.ollama.options is no object; it was not sent.";
  warnings.push({ code: "unsupported_setting", setting: "providerOptions", message });
  return own;
}

function toUsage({ prompt_eval_count: tokens }: JsonObject): Usage | undefined {
  const inputTokens = count(tokens);
  return inputTokens === undefined ? undefined : { inputTokens, outputTokens: 0, source: "reported" };
}
