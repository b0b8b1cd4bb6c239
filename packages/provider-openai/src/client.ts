import { isJsonObject, type JsonObject, parseJson, refuseWebPage } from "@tinyagents/core";
import { APIError, type ClientOptions, OpenAI } from "openai";
import type { ConnectionSettings } from "./connection-options.js";

/** Timers of JavaScript engines take no longer delay, ms. Time limits are ours: the signal's and the request's. */
const NO_TIMEOUT_MS = 2_147_483_647;

/** The SDK as plain transport: one request per call, nothing from the environment, nothing logged. */
export function createClient(settings: ConnectionSettings): OpenAI {
  const { apiKey, baseUrl, organization, project, headers, provider } = settings;
  return new ExplicitClient({
    apiKey,
    adminAPIKey: null,
    baseURL: baseUrl,
    organization,
    project,
    webhookSecret: null,
    defaultHeaders: headers,
    maxRetries: 0,
    timeout: NO_TIMEOUT_MS,
    logLevel: "off",
    // Keys in browsers are the application's decision, made where it passes one.
    dangerouslyAllowBrowser: true,
    fetch: readableFailures(settings.fetch ?? globalThis.fetch, provider),
  });
}

/** What came, and with which headers. */
export interface Received<T> {
  readonly body: T;
  readonly headers: Headers;
}

/** Servers send more, and less, than the SDK's types say: everything that comes is read as plain JSON. */
export async function openStream(
  client: OpenAI,
  path: string,
  body: JsonObject,
  signal: AbortSignal,
): Promise<Received<AsyncIterable<unknown>>> {
  const { data, response } = await client.post(path, { body, signal, stream: true }).withResponse();
  return { body: data as AsyncIterable<unknown>, headers: response.headers };
}

/** @throws the SDK's error, also for an answer of status 200 that tells of a failure. */
export async function post(
  client: OpenAI,
  path: string,
  body: JsonObject,
  signal: AbortSignal,
): Promise<Received<unknown>> {
  const { data, response } = await client.post(path, { body, signal }).withResponse();
  if (!isJsonObject(data) || !isJsonObject(data.error)) return { body: data, headers: response.headers };
  throw new APIError(undefined, data.error, undefined, undefined);
}

/** The SDK's constructor adds headers from `OPENAI_CUSTOM_HEADERS` to those it is given; this takes them out again. */
class ExplicitClient extends OpenAI {
  constructor(options: ClientOptions) {
    super(options);
    this._options.defaultHeaders = options.defaultHeaders;
  }
}

/**
 * Lets the SDK read failures of compatible servers. It looks for a body `{"error": ...}`; where a server puts the
 * error's fields at the top, they are moved there. A web page in place of an answer is refused.
 */
function readableFailures(fetch: typeof globalThis.fetch, provider: string): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.ok) return refuseWebPage(response, { provider, hint: "It usually ends in /v1." });
    const { status, headers } = response;
    const text = wrapError(await response.text());
    return new Response(text === "" ? null : text, { status, headers });
  };
}

function wrapError(text: string): string {
  let body: unknown;
  try {
    body = parseJson(text, { place: "an error" });
  } catch {
    return text;
  }
  return isJsonObject(body) && !Object.hasOwn(body, "error") ? JSON.stringify({ error: body }) : text;
}
