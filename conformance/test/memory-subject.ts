import { type ChatModelSubject, scenarios } from "@tinyagents/conformance";
import {
  type ChatModel,
  type ErrorCode,
  type JsonObject,
  type JsonValue,
  lackingCapabilities,
  type ModelDelta,
  type ModelProfile,
  type ModelRequest,
  onAbort,
  redactText,
  TinyAgentsError,
  throwIfAborted,
} from "@tinyagents/core";
import { type Exchange, MemoryFailure, MemoryServer } from "./memory-server.js";

const PROFILE: ModelProfile = {
  provider: "memory",
  model: "memory-1",
  capabilities: {
    tools: "yes",
    tool_call_streaming: "yes",
    tool_choice_required: "yes",
    tool_choice_named: "yes",
    structured_output: "yes",
    json_mode: "yes",
    reasoning: "yes",
    streaming: "yes",
    system_messages: "yes",
    image_input: "yes",
    audio_input: "yes",
    file_input: "yes",
  },
  lifecycle: "active",
  source: "local",
};

/** A subject that keeps every promise, but for what `change` does to its models. */
export function memorySubject(
  change: (model: ChatModel) => ChatModel = (model) => model,
  profile: ModelProfile = PROFILE,
): ChatModelSubject {
  const servers = new Map<string, MemoryServer>();
  return {
    name: "memory",
    wire: {
      async start(scenario) {
        const url = `memory:${servers.size}`;
        const server = new MemoryServer(scenarios[scenario]);
        servers.set(url, server);
        return { url, close: async () => undefined, requests: () => server.requests };
      },
    },
    create: ({ url, apiKey }) => change(memoryModel(servers.get(url ?? ""), apiKey, profile)),
  };
}

function memoryModel(server: MemoryServer | undefined, apiKey: string, profile: ModelProfile): ChatModel {
  return {
    id: "memory/memory-1",
    profile,
    async *stream(request, call) {
      throwIfAborted(call.signal);
      refuseMissing(profile, request);
      refuseEmpty(request);
      if (server === undefined) throw new TypeError("no server");
      const exchange = server.request(toBody(request), apiKey, call.delivery === "whole");
      const unlink = onAbort(call.signal, () => exchange.leave());
      try {
        yield* readExchange(exchange, apiKey);
        throwIfAborted(call.signal);
      } finally {
        unlink();
        exchange.leave();
      }
    },
  };
}

async function* readExchange(exchange: Exchange, apiKey: string): AsyncGenerator<ModelDelta> {
  let partialText = "";
  try {
    for await (const delta of exchange.deltas) {
      if (delta.type === "text") partialText += delta.text;
      yield delta;
    }
  } catch (error) {
    throw error instanceof MemoryFailure ? toError(error, apiKey, partialText) : error;
  }
}

function refuseMissing({ provider, model, ...profile }: ModelProfile, request: ModelRequest): void {
  const capabilities = lackingCapabilities({ provider, model, ...profile }, request);
  if (capabilities.length === 0) return;
  throw new TinyAgentsError("capability_missing", "It cannot do that.", { details: { model, capabilities } });
}

function refuseEmpty({ messages }: ModelRequest): void {
  if (messages.length > 0) return;
  throw new TinyAgentsError("invalid_request", "There is nothing to say.", { details: { reason: "no_messages" } });
}

/** The request as JSON, over the provider's own options, without empty texts and broken arguments. */
function toBody({ messages, providerOptions, requires: _, ...settings }: ModelRequest): JsonObject {
  const sent = messages.map(({ role, content }) => ({
    role,
    content: content
      .filter((block) => block.type !== "text" || block.text.trim() !== "")
      .map((block) => (block.type === "tool_call" ? { ...block, invalid: undefined } : block)),
  }));
  const body = { ...providerOptions?.memory, ...settings, model: "memory-1", messages: sent };
  return JSON.parse(JSON.stringify(body)) as { readonly [key: string]: JsonValue };
}

const CODES: { readonly [failure: string]: ErrorCode } = {
  auth: "provider_auth",
  auth_echo: "provider_auth",
  rate_limit: "provider_rate_limit",
  quota: "provider_billing",
  server_error: "provider_server",
  error_in_stream: "provider_server",
  overloaded: "provider_overloaded",
  bad_request: "provider_bad_request",
  model_not_found: "model_not_found",
  context_window: "context_window_exceeded",
};

function toError(
  { failure, message, retryAfterMs }: MemoryFailure,
  apiKey: string,
  partialText: string,
): TinyAgentsError {
  const text = redactText(message, [apiKey]);
  const code = CODES[failure];
  if (code === "model_not_found") return new TinyAgentsError(code, text, { details: { model: "memory-1" } });
  if (code === undefined) return new TinyAgentsError("network", text, { details: { provider: "memory", partialText } });
  const hint = retryAfterMs === undefined ? {} : { retryAfterMs };
  return new TinyAgentsError(code, text, { details: { provider: "memory", ...hint } });
}
