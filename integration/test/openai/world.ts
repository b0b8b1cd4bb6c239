import { type OpenAIModelOptions, openaiModel } from "@tinyagents/provider-openai";
import { type OpenAIWireServer, openaiWireServer, type WireServerOptions } from "@tinyagents/testkit/wire";
import { afterEach } from "vitest";

const servers: OpenAIWireServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

/** A model of provider-openai and the server that it talks to, for the rest of this test. */
export async function served(
  script: Parameters<typeof openaiWireServer>[0],
  options: Partial<OpenAIModelOptions> = {},
  serverOptions: WireServerOptions = {},
) {
  const server = await openaiWireServer(script, serverOptions);
  servers.push(server);
  const model = openaiModel("gpt-4o", { apiKey: "key-of-the-test", baseUrl: server.url, ...options });
  return { server, model };
}

/** The messages of a request as it came over the wire. */
export function sent(server: OpenAIWireServer, request: number): readonly WireMessage[] {
  return server.requests[request - 1]?.body.messages as unknown as readonly WireMessage[];
}

export interface WireMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly name: string } }[];
}
