import type { ModelProfile } from "@tinyagents/core";
import type { ChatQuirks } from "./chat/quirks.js";
import {
  type ConnectionSettings,
  OPENAI_URL,
  type OpenAIConnectionOptions,
  readConnection,
} from "./connection-options.js";

/** How to reach a model, and what is known of it. */
export interface OpenAIModelOptions extends OpenAIConnectionOptions {
  /**
   * Which API it speaks. Default: `responses` at OpenAI itself, where it alone gives a reasoning model its earlier
   * thoughts back; `chat` (Chat Completions) elsewhere.
   */
  readonly api?: "responses" | "chat" | undefined;
  /**
   * Whether the provider keeps answers, so that a request can go on from one (`previousResponseId`). With `responses`
   * alone. Default false: then reasoning travels encrypted in the history.
   */
  readonly store?: boolean | undefined;
  /** What is known of the model. Wins over the built-in table, capability by capability. */
  readonly profile?: Partial<ModelProfile> | undefined;
  /** What a server that speaks Chat Completions does otherwise. `openaiCompatible` has those of many. */
  readonly quirks?: ChatQuirks | undefined;
}

/** Options with their defaults, and what follows from them. */
export interface Settings extends ConnectionSettings {
  readonly profile: ModelProfile;
  readonly api: "responses" | "chat";
  readonly store: boolean;
  readonly quirks: ChatQuirks;
}

/**
 * `factory`: whose options they are, for errors.
 * @throws TypeError that names the option, and never has its value.
 */
export function readOptions(
  factory: string,
  model: string,
  options: OpenAIModelOptions,
  profileOf: (provider: string, model: string) => ModelProfile,
): Settings {
  const connection = readConnection(factory, model, options);
  const atOpenAI = connection.baseUrl === OPENAI_URL;
  const known = profileOf(connection.provider, model);
  const { profile = {}, api = atOpenAI ? "responses" : "chat" } = options;
  if (api !== "responses" && api !== "chat") throw new TypeError(`${factory}: api is "responses" or "chat"`);
  return {
    ...connection,
    profile: { ...known, ...profile, capabilities: { ...known.capabilities, ...profile.capabilities } },
    api,
    store: options.store ?? false,
    quirks: { maxTokensField: atOpenAI ? "max_completion_tokens" : "max_tokens", ...options.quirks },
  };
}
