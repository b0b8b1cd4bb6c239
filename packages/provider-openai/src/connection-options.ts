import { readBaseUrl, secretsOf } from "@tinyagents/core";
/** How to reach a server that speaks an API of OpenAI's. Nothing is read from the environment. */
export interface OpenAIConnectionOptions {
  /** Servers that want no key are given any text. It is kept out of errors and messages. */
  readonly apiKey: string;
  /** Up to and including the version, as `http://localhost:8000/v1`. Default `https://api.openai.com/v1`. */
  readonly baseUrl?: string | undefined;
  /** Sent with every request. Their values are kept out of errors as the key is. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly organization?: string | undefined;
  readonly project?: string | undefined;
  /** Who serves the model: part of its id, and the name of its entry in `providerOptions`. Default `openai`. */
  readonly provider?: string | undefined;
  /** Makes the HTTP requests. Default: the global one, looked up at the first call. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** Options with their defaults, and what follows from them. */
export interface ConnectionSettings {
  /** The name on the wire. */
  readonly model: string;
  readonly provider: string;
  readonly apiKey: string;
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly organization: string | null;
  readonly project: string | null;
  readonly fetch: typeof globalThis.fetch | undefined;
  /** Texts that must not appear in an error. */
  readonly secrets: readonly string[];
}

export const OPENAI_URL = "https://api.openai.com/v1";

/**
 * `factory`: whose options they are, for errors.
 * @throws TypeError that names the option, and never has its value.
 */
export function readConnection(factory: string, model: string, options: OpenAIConnectionOptions): ConnectionSettings {
  if (typeof model !== "string" || model === "") throw new TypeError(`${factory}: the name of a model is expected`);
  if (typeof options?.apiKey !== "string" || !/^[\x21-\x7e]+$/.test(options.apiKey)) {
    throw new TypeError(`${factory}: apiKey is expected: a text without spaces (any, if the server wants none)`);
  }
  const { provider = "openai", headers = {} } = options;
  if (provider === "") throw new TypeError(`${factory}: provider is empty`);
  return {
    model,
    provider,
    apiKey: options.apiKey,
    baseUrl: readBaseUrl(factory, options.baseUrl ?? OPENAI_URL),
    headers,
    organization: options.organization ?? null,
    project: options.project ?? null,
    fetch: options.fetch,
    secrets: secretsOf(options.apiKey, headers),
  };
}
