import type { Dialect, Endpoint } from "../dialect.js";
import type { WireEntries } from "../entry.js";
import { type WireServer, wireServer } from "../server.js";
import { chatEndpoint } from "./chat.js";
import { embedEndpoint } from "./embed.js";
import { ollamaFailure } from "./failure.js";
import { showEndpoint, tagsEndpoint, versionEndpoint } from "./lookups.js";
import { modelsOf, type OllamaServerOptions } from "./models.js";

/** A server that speaks Ollama's API. */
export type OllamaWireServer = WireServer;

/**
 * Starts a server that answers `POST /api/chat` and `POST /api/embed`, one entry of the script per request; a function
 * in place of the list decides every request. `GET /api/tags`, `POST /api/show` and `GET /api/version` are answered
 * from its options and use none. Input tokens that an entry does not say are about those of the prompt, as far as it
 * fits: the head of a longer one is dropped without a word, as Ollama does it. Its base URL has no path. Needs Node.
 *
 * @throws TypeError for an entry that contradicts itself, and for two models of one name.
 */
export async function ollamaWireServer(
  script: WireEntries,
  options: OllamaServerOptions = {},
): Promise<OllamaWireServer> {
  return wireServer(ollamaDialect(options), script, options);
}

function ollamaDialect(options: OllamaServerOptions): Dialect {
  const { extraParams = [], version = "0.13.0" } = options;
  const models = modelsOf(options);
  const endpoints = new Map<string, Endpoint>([
    ["/api/chat", chatEndpoint(models, extraParams)],
    ["/api/embed", embedEndpoint(models, extraParams)],
    ["/api/tags", tagsEndpoint(models)],
    ["/api/show", showEndpoint(models)],
    ["/api/version", versionEndpoint(version)],
  ]);
  return {
    base: "",
    requestIdHeader: undefined,
    keyOf: ({ authorization }) => authorization?.replace(/^Bearer /, ""),
    endpoint: (path) => endpoints.get(path),
    failed: ollamaFailure,
  };
}
