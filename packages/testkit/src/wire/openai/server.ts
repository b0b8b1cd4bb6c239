import type { Dialect, Endpoint } from "../dialect.js";
import type { WireEntries } from "../entry.js";
import { type WireServer, type WireServerOptions, wireServer } from "../server.js";
import { chatEndpoint } from "./chat.js";
import { openaiFailure } from "./failure.js";

/** A server that speaks OpenAI's API. */
export type OpenAIWireServer = WireServer;

/**
 * Starts a server that answers `POST /v1/chat/completions`, one entry of the script per request; a function in place
 * of the list decides every request. A request that breaks a rule of the API is answered with 400 and uses no entry,
 * and so is one after the last entry. Its base URL ends in `/v1`. Needs Node.
 *
 * @throws TypeError for an entry that contradicts itself.
 */
export async function openaiWireServer(
  script: WireEntries,
  options: WireServerOptions = {},
): Promise<OpenAIWireServer> {
  return wireServer(openaiDialect(options), script, options);
}

function openaiDialect({ extraParams = [] }: WireServerOptions): Dialect {
  const endpoints = new Map<string, Endpoint>([["/v1/chat/completions", chatEndpoint(extraParams)]]);
  return {
    base: "/v1",
    requestIdHeader: "x-request-id",
    keyOf: ({ authorization }) => authorization?.replace(/^Bearer /, ""),
    endpoint: (path) => endpoints.get(path),
    failed: openaiFailure,
  };
}
