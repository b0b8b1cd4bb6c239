import { Anthropic, type ClientOptions } from "@anthropic-ai/sdk";
import { refuseWebPage } from "@tinyagents/core";
import type { Settings } from "./options.js";

/** Timers of JavaScript engines take no longer delay, ms. Time limits are ours: the signal's and the request's. */
const NO_TIMEOUT_MS = 2_147_483_647;

/** The SDK as plain transport: one request per call, nothing from the environment, nothing logged or traced. */
export function createClient(settings: Settings): Anthropic {
  const { apiKey, baseUrl, headers, provider, fetch = globalThis.fetch } = settings;
  return new ExplicitClient({
    apiKey,
    webhookKey: null,
    baseURL: baseUrl,
    defaultHeaders: headers,
    maxRetries: 0,
    timeout: NO_TIMEOUT_MS,
    logLevel: "off",
    openTelemetry: false,
    // Keys in browsers are the application's decision, made where it passes one. Elsewhere the header that this adds
    // would have requests refused that are no browser's.
    dangerouslyAllowBrowser: "document" in globalThis,
    fetch: async (input, init) =>
      refuseWebPage(await fetch(input, init), { provider, hint: "It stands before /v1/messages." }),
  });
}

/** The SDK's constructor adds headers from `ANTHROPIC_CUSTOM_HEADERS` to those it is given; this takes them out again. */
class ExplicitClient extends Anthropic {
  constructor(options: ClientOptions) {
    super(options);
    // Its types do not show where it keeps them.
    (this as unknown as { readonly _options: ClientOptions })._options.defaultHeaders = options.defaultHeaders;
  }
}
