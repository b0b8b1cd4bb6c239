import { type ModelProfile, readBaseUrl, secretsOf } from "@tinyagents/core";
import { type KnownModel, knownModel, type Traits } from "./profiles.js";

/**
 * Where the prompt is marked for the provider's cache. `auto`: once a next request is likely, because tools are offered
 * or the model has answered before. With a `ttl`: always, for that long. `off`: only where blocks ask for it.
 */
export type CacheMode = "auto" | "off" | { readonly ttl: "5m" | "1h" };

/** How to reach a server that speaks the Messages API, and what is known of its model. Nothing is read from the environment. */
export interface AnthropicModelOptions {
  /** Servers that want no key are given any text. It is kept out of errors and messages. */
  readonly apiKey: string;
  /** Without the version, as `http://localhost:8000`; a `/v1` at its end is taken off. Default `https://api.anthropic.com`. */
  readonly baseUrl?: string | undefined;
  /** Sent with every request. Their values are kept out of errors as the key is. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Who serves the model: part of its id, and the name of its entry in `providerOptions`. Default `anthropic`. */
  readonly provider?: string | undefined;
  /** What is known of the model. Wins over the built-in table, capability by capability. */
  readonly profile?: Partial<ModelProfile> | undefined;
  /** Default `auto`. */
  readonly cache?: CacheMode | undefined;
  /** How the model is told how hard to think. Default: as the built-in table says, `effort` for models it does not have. */
  readonly thinking?: "effort" | "budget" | undefined;
  /** Makes the HTTP requests. Default: the global one, looked up at the first call. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** Options with their defaults, and what follows from them. */
export interface Settings {
  readonly model: string;
  readonly provider: string;
  readonly profile: ModelProfile;
  readonly traits: Traits;
  readonly apiKey: string;
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly cache: CacheMode;
  readonly fetch: typeof globalThis.fetch | undefined;
  /** Texts that must not appear in an error. */
  readonly secrets: readonly string[];
}

const ANTHROPIC_URL = "https://api.anthropic.com";

/** @throws TypeError that names the option, and never has its value. `caller` is the function that was misused. */
export function readOptions(caller: string, model: string, options: AnthropicModelOptions): Settings {
  const wrong = (problem: string): TypeError => new TypeError(`${caller}: ${problem}`);
  if (typeof model !== "string" || model === "") throw wrong("the name of a model is expected");
  if (typeof options?.apiKey !== "string" || !/^[\x21-\x7e]+$/.test(options.apiKey)) {
    throw wrong("apiKey is expected: a text without spaces (any, if the server wants none)");
  }
  const { provider = "anthropic", headers = {}, cache = "auto", thinking, profile = {} } = options;
  if (provider === "") throw wrong("provider is empty");
  if (!isCacheMode(cache)) throw wrong('cache is expected to be "auto", "off" or { ttl: "5m" } or { ttl: "1h" }');
  if (thinking !== undefined && thinking !== "effort" && thinking !== "budget") {
    throw wrong('thinking is expected to be "effort" or "budget"');
  }
  const known: KnownModel = knownModel(provider, model);
  const capabilities = { ...known.profile.capabilities, ...profile.capabilities };
  return {
    model,
    provider,
    profile: { ...known.profile, ...profile, capabilities },
    traits: { ...known.traits, ...(thinking === undefined ? {} : { thinking }) },
    apiKey: options.apiKey,
    baseUrl: readBaseUrl(caller, options.baseUrl ?? ANTHROPIC_URL).replace(/\/v1$/, ""),
    headers,
    cache,
    fetch: options.fetch,
    secrets: secretsOf(options.apiKey, headers),
  };
}

function isCacheMode(cache: unknown): cache is CacheMode {
  if (typeof cache !== "object" || cache === null) return cache === "auto" || cache === "off";
  const { ttl } = cache as { readonly ttl?: unknown };
  return ttl === "5m" || ttl === "1h";
}
