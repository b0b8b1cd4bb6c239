import type { JsonObject } from "@tinyagents/core";
import type { FixedEndpoint } from "../dialect.js";
import { type LoadedModel, type Models, notFound } from "./models.js";

/** When every model was changed: the same in every run. */
const MODIFIED = "2023-11-14T22:13:20Z";

/**
 * `GET /api/tags`.
 * @see https://docs.ollama.com/api/tags
 */
export function tagsEndpoint(models: Models): FixedEndpoint {
  return { type: "fixed", method: "GET", answer: () => ({ body: { models: models.all.map(listed) } }) };
}

/**
 * `POST /api/show`.
 * @see https://docs.ollama.com/api-reference/show-model-details
 */
export function showEndpoint(models: Models): FixedEndpoint {
  return {
    type: "fixed",
    method: "POST",
    answer({ body }) {
      const name = body.model ?? body.name;
      if (name === undefined || name === "") return { status: 400, message: "model is required" };
      const model = models.find(name);
      return model === undefined ? notFound(name) : { body: shown(model) };
    },
  };
}

/** `GET /api/version`. */
export function versionEndpoint(version: string): FixedEndpoint {
  return { type: "fixed", method: "GET", answer: () => ({ body: { version } }) };
}

function listed(model: LoadedModel): JsonObject {
  const { name } = model;
  return { name, model: name, modified_at: MODIFIED, size: 1_000, digest: "0", details: detailsOf(model) };
}

function shown(model: LoadedModel): JsonObject {
  const { architecture, contextLength, embeddingLength, numCtx, capabilities } = model;
  return {
    modelfile: "",
    template: "{{ .Prompt }}",
    parameters: numCtx === undefined ? "" : `num_ctx                        ${numCtx}`,
    details: detailsOf(model),
    model_info: {
      "general.architecture": architecture,
      [`${architecture}.context_length`]: contextLength,
      [`${architecture}.embedding_length`]: embeddingLength,
    },
    capabilities,
    modified_at: MODIFIED,
  };
}

function detailsOf({ architecture }: LoadedModel): JsonObject {
  return {
    parent_model: "",
    format: "gguf",
    family: architecture,
    families: [architecture],
    parameter_size: "1B",
    quantization_level: "Q4_K_M",
  };
}
