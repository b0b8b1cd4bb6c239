import type { ChatModel } from "@tinyagents/core";
import { anthropicModel } from "@tinyagents/provider-anthropic";
import { mockModel } from "@tinyagents/provider-mock";
import { ollamaModel } from "@tinyagents/provider-ollama";
import { compatiblePresets, openaiCompatible, openaiModel, type PresetName } from "@tinyagents/provider-openai";
import { UsageError } from "./usage-error.js";

/** Where a model's settings come from. */
export interface ModelSource {
  readonly env: NodeJS.ProcessEnv;
  /** Pause of the offline model before each word, ms. */
  readonly delayMs: number;
}

/** How models of one provider are made, and the variables that say where and with which key. */
interface Provider {
  readonly keyFrom: string;
  readonly needsKey: boolean;
  readonly urlFrom: string;
  /** Whether the address has to be told. */
  readonly needsUrl?: boolean;
  model(name: string, at: { readonly apiKey: string | undefined; readonly baseUrl: string | undefined }): ChatModel;
}

const PROVIDERS: ReadonlyMap<string, Provider> = new Map<string, Provider>([
  ...presets(),
  [
    "openai",
    {
      keyFrom: "OPENAI_API_KEY",
      needsKey: true,
      urlFrom: "OPENAI_BASE_URL",
      model: (name, { apiKey = "", baseUrl }) => openaiModel(name, { apiKey, baseUrl }),
    },
  ],
  [
    "anthropic",
    {
      keyFrom: "ANTHROPIC_API_KEY",
      needsKey: true,
      urlFrom: "ANTHROPIC_BASE_URL",
      model: (name, { apiKey = "", baseUrl }) => anthropicModel(name, { apiKey, baseUrl }),
    },
  ],
  [
    "ollama",
    { keyFrom: "OLLAMA_API_KEY", needsKey: false, urlFrom: "OLLAMA_HOST", model: (name, at) => ollamaModel(name, at) },
  ],
]);

/** Servers that speak OpenAI's API in their own way: `GROQ_API_KEY` and `GROQ_BASE_URL` for `groq/NAME`. */
function presets(): [string, Provider][] {
  return Object.entries(compatiblePresets).map(([preset, { key, baseUrl }]) => [
    preset,
    {
      keyFrom: `${preset.toUpperCase()}_API_KEY`,
      needsKey: key === "required",
      urlFrom: `${preset.toUpperCase()}_BASE_URL`,
      needsUrl: baseUrl === undefined,
      model: (name, at) => openaiCompatible(name, { preset: preset as PresetName, ...at }),
    },
  ]);
}

/**
 * The model of that name.
 * @throws UsageError for a name that is not known, and for a missing key or address.
 */
export function chooseModel(name: string, { env, delayMs }: ModelSource): ChatModel {
  if (name === "mock" || name === "mock/rules-1") return mockModel({ delayMs });
  const [, prefix = "", model = ""] = /^([^/]+)\/(.+)$/.exec(name) ?? [];
  const provider = PROVIDERS.get(prefix);
  if (provider === undefined) {
    const known = [...PROVIDERS.keys()].sort().join(", ");
    throw new UsageError(`--model: "${name}" is not known. Use PROVIDER/NAME (${known}), or leave it out.`);
  }
  const { keyFrom, needsKey, urlFrom, needsUrl = false } = provider;
  const apiKey = env[keyFrom]?.trim() || undefined;
  if (needsKey && apiKey === undefined) throw new UsageError(`--model ${name} needs a key: set ${keyFrom}.`);
  const baseUrl = env[urlFrom]?.trim() || undefined;
  if (needsUrl && baseUrl === undefined) throw new UsageError(`--model ${name} needs an address: set ${urlFrom}.`);
  if (baseUrl !== undefined && !URL.canParse(baseUrl)) {
    throw new UsageError(`${urlFrom} is no URL: write it as http://localhost:8000/v1.`);
  }
  try {
    return provider.model(model, { apiKey, baseUrl });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UsageError(`${keyFrom} or ${urlFrom} cannot be used: ${error.message}.`);
  }
}
