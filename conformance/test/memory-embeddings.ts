import {
  type EmbeddingModelSubject,
  embeddingScenarios,
  type RecordedRequest,
  scenarioDimensions,
  scenarioVectors,
} from "@tinyagents/conformance";
import {
  batchedEmbeddings,
  type EmbedBatch,
  type EmbeddingModel,
  type ErrorCode,
  onAbort,
  redactText,
  TinyAgentsError,
  throwIfAborted,
} from "@tinyagents/core";

/** Makes a sound embedding model unsound. */
export type EmbeddingFault = (model: EmbeddingModel) => EmbeddingModel;

interface MemoryRequest extends RecordedRequest {
  end(how: string): void;
}

const CODES: { readonly [failure: string]: ErrorCode } = {
  auth: "provider_auth",
  auth_echo: "provider_auth",
  rate_limit: "provider_rate_limit",
  server_error: "provider_server",
  bad_request: "provider_bad_request",
  context_window: "context_window_exceeded",
  model_not_found: "model_not_found",
};

/** A subject that keeps every promise, but for what `fault` does to its models. */
export function memoryEmbeddings(fault: EmbeddingFault = (model) => model): EmbeddingModelSubject {
  const servers = new Map<string, MemoryRequest[]>();
  return {
    name: "memory",
    wire: {
      async start() {
        const requests: MemoryRequest[] = [];
        const url = `memory:${servers.size}`;
        servers.set(url, requests);
        return { url, close: async () => undefined, requests: () => requests };
      },
    },
    create({ scenario, url = "", apiKey, profile }) {
      const known = { provider: "memory", model: "memory-1", lifecycle: "active", source: "local" } as const;
      return fault(batchedEmbeddings({ ...known, ...profile }, embedBatch(scenario, servers.get(url) ?? [], apiKey)));
    },
  };
}

function embedBatch(scenario: keyof typeof embeddingScenarios, requests: MemoryRequest[], apiKey: string): EmbedBatch {
  const { failure, manner, retryAfterMs, ...said } = embeddingScenarios[scenario];
  return async (texts, _purpose, { dimensions = scenarioDimensions, providerOptions, signal }) => {
    throwIfAborted(signal);
    requests.push(recorded({ ...providerOptions?.memory, model: "memory-1", input: texts }));
    if (manner === "silence") await left(signal, requests);
    if (manner === "cut") throw new TinyAgentsError("network", "It broke off.", { details: { provider: "memory" } });
    if (failure !== undefined) throw refusal(failure, apiKey, retryAfterMs);
    const usage = { inputTokens: texts.length, outputTokens: 0, source: "reported" } as const;
    return { vectors: scenarioVectors(said, texts, dimensions), usage };
  };
}

function recorded(body: RecordedRequest["body"]): MemoryRequest {
  let end = (_how: string): void => undefined;
  const ended = new Promise<string>((resolve) => (end = resolve));
  return { body, ended, end };
}

async function left(signal: AbortSignal | undefined, requests: readonly MemoryRequest[]): Promise<void> {
  await new Promise<void>((resolve) => onAbort(signal, resolve));
  for (const request of requests) request.end("aborted");
  throwIfAborted(signal);
}

function refusal(failure: string, apiKey: string, retryAfterMs: number | undefined): TinyAgentsError {
  const message = redactText(`refused: the key was ${apiKey}`, [apiKey]);
  const code = CODES[failure];
  if (code === undefined) throw new TypeError(`no failure ${failure}`);
  if (code === "model_not_found") return new TinyAgentsError(code, message, { details: { model: "memory-1" } });
  const hint = retryAfterMs === undefined ? {} : { retryAfterMs };
  return new TinyAgentsError(code, message, { details: { provider: "memory", ...hint } });
}
