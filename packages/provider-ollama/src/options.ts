import { readBaseUrl, secretsOf } from "@tinyagents/core";
import { isCloudModel, type OllamaProfile, profileOf } from "./profile.js";

/** How to reach an Ollama server. Nothing is read from the environment. */
export interface OllamaOptions {
  /** Up to where `/api` begins. Default `http://127.0.0.1:11434`. */
  readonly baseUrl?: string | undefined;
  /** Sent as a bearer token, for ollama.com or a proxy. A server of your own wants none. Kept out of errors. */
  readonly apiKey?: string | undefined;
  /** Sent with every request. Their values are kept out of errors as the key is. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Makes the HTTP requests. Default: the global one, looked up at each call. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** How to reach a chat model of an Ollama server, and what is known of it. */
export interface OllamaModelOptions extends OllamaOptions {
  /**
   * What is known of the model, as `ollamaProfile()` gives it. Wins over what is known of every model, capability by
   * capability. Its `contextWindow` is asked for with every call (`num_ctx`), so that it holds.
   */
  readonly profile?: Partial<OllamaProfile> | undefined;
  /**
   * What becomes of a prompt that is longer than the context. `error`: the server is told to refuse it, and a prompt
   * that was cut all the same fails with `context_window_exceeded`. `warn`: the server may cut it, and the response
   * says so. Default `error`.
   */
  readonly onTruncation?: "error" | "warn" | undefined;
  /** Whether the model gets its own earlier reasoning back; its prompt template decides what it makes of it. Default true. */
  readonly sendReasoning?: boolean | undefined;
}

/** A server, with defaults. */
export interface ServerSettings {
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof globalThis.fetch | undefined;
  /** Texts that must not appear in an error. */
  readonly secrets: readonly string[];
}

/** A chat model, with defaults. */
export interface ModelSettings extends ServerSettings {
  readonly model: string;
  readonly profile: OllamaProfile;
  readonly onTruncation: "error" | "warn";
  readonly sendReasoning: boolean;
}

const LOCAL_URL = "http://127.0.0.1:11434";

/** @throws TypeError that names the option, and never has its value. */
export function readModelOptions(model: string, options: OllamaModelOptions): ModelSettings {
  checkModelName("ollamaModel", model);
  const server = readServerOptions("ollamaModel", options);
  const { profile = {}, onTruncation = "error", sendReasoning = true } = options;
  if (onTruncation !== "error" && onTruncation !== "warn") {
    throw new TypeError("ollamaModel: onTruncation is neither error nor warn");
  }
  const { contextWindow } = profile;
  if (contextWindow !== undefined && !(Number.isSafeInteger(contextWindow) && contextWindow > 0)) {
    throw new TypeError("ollamaModel: profile.contextWindow is no whole number of tokens");
  }
  const known = profileOf(model, isCloudModel(model, server.baseUrl));
  const capabilities = { ...known.capabilities, ...profile.capabilities };
  // More than the model was made for is not to be had, whatever is asked for.
  const window =
    contextWindow === undefined
      ? {}
      : { contextWindow: Math.min(contextWindow, profile.trainedContextWindow ?? contextWindow) };
  // Who serves it and what it is called are not for a profile of another model to say.
  const { provider } = known;
  return {
    ...server,
    model,
    profile: { ...known, ...profile, ...window, provider, model, capabilities },
    onTruncation,
    sendReasoning,
  };
}

/** @throws TypeError that names the option, and never has its value. */
export function readServerOptions(factory: string, options: OllamaOptions): ServerSettings {
  const { baseUrl = LOCAL_URL, apiKey, headers = {}, fetch } = options;
  if (apiKey !== undefined && !(typeof apiKey === "string" && /^[\x21-\x7e]+$/.test(apiKey))) {
    throw new TypeError(`${factory}: apiKey is no text without spaces; leave it out where the server wants none`);
  }
  return { baseUrl: readBaseUrl(factory, baseUrl), apiKey, headers, fetch, secrets: secretsOf(apiKey, headers) };
}

/** @throws TypeError for what is no name of a model. */
export function checkModelName(factory: string, model: unknown): void {
  if (typeof model !== "string" || model === "") throw new TypeError(`${factory}: the name of a model is expected`);
}
