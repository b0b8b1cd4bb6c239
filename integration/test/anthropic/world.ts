import type { JsonObject } from "@tinyagents/core";
import { type AnthropicModelOptions, anthropicModel } from "@tinyagents/provider-anthropic";
import { type AnthropicWireServer, anthropicWireServer, type WireServerOptions } from "@tinyagents/testkit/wire";
import { afterEach } from "vitest";

const servers: AnthropicWireServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

/** A model of provider-anthropic and the server that it talks to, for the rest of this test. */
export async function served(
  script: Parameters<typeof anthropicWireServer>[0],
  options: Partial<AnthropicModelOptions> = {},
  serverOptions: WireServerOptions = {},
) {
  const server = await anthropicWireServer(script, serverOptions);
  servers.push(server);
  const model = anthropicModel("claude-haiku-4-5", {
    apiKey: "key-of-the-test",
    baseUrl: server.url,
    profile: { maxOutputTokens: 8_000 },
    ...options,
  });
  return { server, model };
}

/** The messages of a request as it came over the wire. */
export function sent(server: AnthropicWireServer, request: number): readonly WireMessage[] {
  return server.requests[request - 1]?.body.messages as unknown as readonly WireMessage[];
}

export interface WireMessage {
  readonly role: string;
  readonly content: readonly JsonObject[];
}
