import type { ModelProfile } from "@tinyagents/core";

/** How to reach a server that speaks an API of OpenAI's, and what is known of its model. Nothing is read from the environment. */
export interface OpenAIModelOptions {
  /** Servers that want no key are given any text. It is kept out of errors and messages. */
  readonly apiKey: string;
  /** Up to and including the version, as `http://localhost:8000/v1`. Default `https://api.openai.com/v1`. */
  readonly baseUrl?: string | undefined;
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
  /** Sent with every request. Their values are kept out of errors as the key is. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly organization?: string | undefined;
  readonly project?: string | undefined;
  /** Who serves the model: part of its id, and the name of its entry in `providerOptions`. Default `openai`. */
  readonly provider?: string | undefined;
  /** What is known of the model. Wins over the built-in table, capability by capability. */
  readonly profile?: Partial<ModelProfile> | undefined;
  /** The setting for the longest answer. Default: `max_completion_tokens` at OpenAI itself, `max_tokens` elsewhere. */
  readonly maxTokensField?: "max_completion_tokens" | "max_tokens" | undefined;
  /**
   * Sends the model's earlier reasoning back under this field, for servers that want it. Default: it is not sent.
   * Reasoning of other providers never is.
   */
  readonly reasoningField?: "reasoning_content" | "reasoning" | undefined;
  /** Makes the HTTP requests. Default: the global one, looked up at the first call. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** Options with their defaults, and what follows from them. */
export interface Settings {
  readonly model: string;
  readonly provider: string;
  readonly profile: ModelProfile;
  readonly apiKey: string;
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly organization: string | null;
  readonly project: string | null;
  readonly api: "responses" | "chat";
  readonly store: boolean;
  readonly maxTokensField: "max_completion_tokens" | "max_tokens";
  readonly reasoningField: "reasoning_content" | "reasoning" | undefined;
  readonly fetch: typeof globalThis.fetch | undefined;
  /** Texts that must not appear in an error. */
  readonly secrets: readonly string[];
}

const OPENAI_URL = "https://api.openai.com/v1";
/** Shorter header values are words such as `true`; taking them out would make errors unreadable. */
const SHORTEST_SECRET = 8;

/** @throws TypeError that names the option, and never has its value. */
export function readOptions(
  model: string,
  options: OpenAIModelOptions,
  profileOf: (provider: string, model: string) => ModelProfile,
): Settings {
  if (typeof model !== "string" || model === "") throw new TypeError("openaiModel: the name of a model is expected");
  if (typeof options?.apiKey !== "string" || !/^[\x21-\x7e]+$/.test(options.apiKey)) {
    throw new TypeError("openaiModel: apiKey is expected: a text without spaces (any, if the server wants none)");
  }
  const { provider = "openai", headers = {}, profile = {} } = options;
  if (provider === "") throw new TypeError("openaiModel: provider is empty");
  const baseUrl = readBaseUrl(options.baseUrl ?? OPENAI_URL);
  const known = profileOf(provider, model);
  const { api = baseUrl === OPENAI_URL ? "responses" : "chat" } = options;
  if (api !== "responses" && api !== "chat") throw new TypeError('openaiModel: api is "responses" or "chat"');
  return {
    model,
    provider,
    profile: { ...known, ...profile, capabilities: { ...known.capabilities, ...profile.capabilities } },
    apiKey: options.apiKey,
    baseUrl,
    headers,
    organization: options.organization ?? null,
    project: options.project ?? null,
    api,
    store: options.store ?? false,
    maxTokensField: options.maxTokensField ?? (baseUrl === OPENAI_URL ? "max_completion_tokens" : "max_tokens"),
    reasoningField: options.reasoningField,
    fetch: options.fetch,
    secrets: [options.apiKey, ...Object.values(headers).flatMap(secretsIn)],
  };
}

function readBaseUrl(text: string): string {
  if (!URL.canParse(text)) throw new TypeError("openaiModel: baseUrl is no absolute URL");
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:") throw new TypeError("openaiModel: baseUrl is not http(s)");
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw new TypeError(
      "openaiModel: baseUrl has a user name, a password, a query or a fragment. Use apiKey and headers.",
    );
  }
  return text.replace(/\/+$/, "");
}

/** A header value, and its words: of `Bearer abc` a server may repeat `abc` alone. */
function secretsIn(value: string): readonly string[] {
  return [value, ...value.split(/\s+/)].filter((text) => text.length >= SHORTEST_SECRET);
}
