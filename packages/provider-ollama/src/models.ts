import { isJsonObject, type JsonObject, objectsOf, textOf } from "@tinyagents/core";
import type { OllamaDiscoveryOptions } from "./discovery.js";
import { readServerOptions } from "./options.js";
import { isCloudModel } from "./profile.js";
import { askServer } from "./server.js";

/** A model that a server has. What it can do says `ollamaProfile()`. */
export interface OllamaModelEntry {
  /** With its tag, as `qwen3:latest`. */
  readonly name: string;
  readonly source: "local" | "cloud";
  /** Names the exact weights and settings. */
  readonly digest?: string;
  /** On disk, in bytes. */
  readonly sizeBytes?: number;
  /** ISO date and time. */
  readonly modifiedAt?: string;
  readonly family?: string;
  /** As the server writes it: `8.2B`. */
  readonly parameterSize?: string;
  /** As the server writes it: `Q4_K_M`. */
  readonly quantization?: string;
}

/**
 * The models that a server has, in its order.
 * @throws `network`, `provider_*`, `cancelled`; TypeError for options that cannot work.
 */
export async function ollamaModels(options: OllamaDiscoveryOptions = {}): Promise<readonly OllamaModelEntry[]> {
  const settings = readServerOptions("ollamaModels", options);
  const answer = await askServer(settings, { signal: options.signal, call: (client) => client.list() });
  return objectsOf(answer.models).flatMap((model) => {
    const name = textOf(model.model) || textOf(model.name);
    return name === "" ? [] : [toEntry(name, model, settings.baseUrl)];
  });
}

/** @see https://docs.ollama.com/api/tags */
function toEntry(name: string, model: JsonObject, baseUrl: string): OllamaModelEntry {
  const details = isJsonObject(model.details) ? model.details : {};
  const cloud = isCloudModel(name, baseUrl) || textOf(model.remote_host) !== "";
  const texts = {
    digest: textOf(model.digest),
    modifiedAt: textOf(model.modified_at),
    family: textOf(details.family),
    parameterSize: textOf(details.parameter_size),
    quantization: textOf(details.quantization_level),
  };
  return {
    name,
    source: cloud ? "cloud" : "local",
    ...(typeof model.size === "number" && model.size >= 0 ? { sizeBytes: model.size } : {}),
    ...Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== "")),
  };
}
