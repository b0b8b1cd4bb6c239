import { type OllamaModelOptions, ollamaModel } from "@tinyagents/provider-ollama";
import {
  type OllamaServerOptions,
  type OllamaWireServer,
  ollamaWireServer,
  type WireEntries,
} from "@tinyagents/testkit/wire";
import { afterEach } from "vitest";

const servers: OllamaWireServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

/** A model of provider-ollama and the server that it talks to, for the rest of this test. */
export async function served(
  script: WireEntries,
  options: OllamaModelOptions = {},
  serverOptions: OllamaServerOptions = {},
) {
  const server = await ollamaWireServer(script, serverOptions);
  servers.push(server);
  return { server, model: ollamaModel("qwen3", { baseUrl: server.url, ...options }) };
}

/** The messages of a request as it came over the wire. */
export function sent(server: OllamaWireServer, request: number): readonly WireMessage[] {
  return server.requests[request - 1]?.body.messages as unknown as readonly WireMessage[];
}

export interface WireMessage {
  readonly role: string;
  readonly content?: string;
  readonly thinking?: string;
  readonly tool_name?: string;
  readonly tool_call_id?: string;
}
