import {
  collect,
  type JsonObject,
  type ModelCallContext,
  type ModelRequest,
  type ModelResponse,
  resolvedModel,
  userMessage,
} from "@tinyagents/core";
import { type AnthropicModelOptions, anthropicModel } from "@tinyagents/provider-anthropic";
import { type AnthropicWireServer, anthropicWireServer, type WireServerOptions } from "@tinyagents/testkit/wire";
import { afterEach } from "vitest";

export const KEY = "canary-key-123456";
export const LOOK = { name: "look", description: "Looks.", inputSchema: { type: "object", properties: {} } };
export const BOTH = ["incremental", "whole"] as const;

const servers: AnthropicWireServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

/** A server that lives as long as the test. */
export async function wireServer(
  script: Parameters<typeof anthropicWireServer>[0],
  options: WireServerOptions = {},
): Promise<AnthropicWireServer> {
  const server = await anthropicWireServer(script, options);
  servers.push(server);
  return server;
}

/** A model and the server that it talks to. */
export async function serve(
  script: Parameters<typeof anthropicWireServer>[0],
  options: Partial<AnthropicModelOptions> = {},
) {
  const server = await wireServer(script);
  const model = anthropicModel("claude-haiku-4-5", {
    apiKey: KEY,
    baseUrl: server.url,
    profile: { maxOutputTokens: 8_000 },
    ...options,
  });
  const ask = (request: Partial<ModelRequest> = {}, call: Partial<ModelCallContext> = {}): Promise<ModelResponse> =>
    collect(
      model.stream(
        { messages: [userMessage("Hi")], ...request },
        { signal: undefined, delivery: "incremental", ...call },
      ),
      resolvedModel(model),
    );
  return { server, model, ask };
}

/** The messages of a request as it came over the wire. */
export function sent(wire: AnthropicWireServer, request: number): readonly WireMessage[] {
  return wire.requests[request - 1]?.body.messages as never;
}

export interface WireMessage {
  readonly role: string;
  readonly content: readonly JsonObject[];
}
