import type { Dialect, Endpoint } from "../dialect.js";
import type { WireEntries } from "../entry.js";
import { type WireServer, type WireServerOptions, wireServer } from "../server.js";
import { chatEndpoint } from "./chat.js";
import { embeddingsEndpoint } from "./embeddings.js";
import { openaiFailure } from "./failure.js";
import { modelEndpoint, modelsEndpoint } from "./models.js";
import { responsesEndpoint } from "./responses/endpoint.js";

/** A server that speaks OpenAI's API. */
export type OpenAIWireServer = WireServer;

/** How an OpenAI server behaves besides its script. */
export interface OpenAIServerOptions extends WireServerOptions {
  /** What `GET /v1/models` lists. Default: none. */
  readonly models?: readonly string[] | undefined;
}

/**
 * Starts a server that answers `POST /v1/chat/completions`, `/v1/responses` and `/v1/embeddings`, one entry of the
 * script per request; a function in place of the list decides every request. `GET /v1/models` and `/v1/models/{model}`
 * are answered from its options and use none. A request that breaks a rule of the API is refused as the API does it
 * and uses no entry, and so is one after the last entry. It remembers the responses that it gave, so that later
 * requests can name them and their items. Its base URL ends in `/v1`. Needs Node.
 *
 * @throws TypeError for an entry that contradicts itself.
 */
export async function openaiWireServer(
  script: WireEntries,
  options: OpenAIServerOptions = {},
): Promise<OpenAIWireServer> {
  return wireServer(openaiDialect(options), script, options);
}

function openaiDialect({ extraParams = [], models = [] }: OpenAIServerOptions): Dialect {
  const endpoints = new Map<string, Endpoint>([
    ["/v1/chat/completions", chatEndpoint(extraParams)],
    ["/v1/responses", responsesEndpoint(extraParams)],
    ["/v1/embeddings", embeddingsEndpoint(extraParams)],
    ["/v1/models", modelsEndpoint(models)],
  ]);
  return {
    base: "/v1",
    requestIdHeader: "x-request-id",
    keyOf: ({ authorization }) => authorization?.replace(/^Bearer /, ""),
    endpoint(path) {
      const [, model] = /^\/v1\/models\/(.+)$/.exec(path) ?? [];
      return model === undefined ? endpoints.get(path) : modelEndpoint(decodeURIComponent(model), models);
    },
    failed: openaiFailure,
  };
}
