import type { ChatModel } from "@tinyagents/core";
import { mockModel } from "@tinyagents/provider-mock";
import { openaiModel } from "@tinyagents/provider-openai";
import { UsageError } from "./usage-error.js";

/** Where a model's settings come from. */
export interface ModelSource {
  readonly env: NodeJS.ProcessEnv;
  /** Pause of the offline model before each word, ms. */
  readonly delayMs: number;
}

/**
 * The model of that name.
 * @throws UsageError for a name that is not known, and for a missing key.
 */
export function chooseModel(name: string, { env, delayMs }: ModelSource): ChatModel {
  if (name === "mock" || name === "mock/rules-1") return mockModel({ delayMs });
  const openai = /^openai\/(.+)$/.exec(name)?.[1];
  if (openai === undefined) throw new UsageError(`--model: "${name}" is not known. Use openai/NAME, or leave it out.`);
  const apiKey = env.OPENAI_API_KEY?.trim() ?? "";
  if (apiKey === "") throw new UsageError(`--model ${name} needs a key: set OPENAI_API_KEY.`);
  const baseUrl = env.OPENAI_BASE_URL?.trim() || undefined;
  if (baseUrl !== undefined && !URL.canParse(baseUrl)) {
    throw new UsageError("OPENAI_BASE_URL is no URL: write it as http://localhost:8000/v1.");
  }
  try {
    return openaiModel(openai, { apiKey, baseUrl });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UsageError(`OPENAI_API_KEY or OPENAI_BASE_URL cannot be used: ${error.message}.`);
  }
}
