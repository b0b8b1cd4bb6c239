import type { ChatModel } from "@tinyagents/core";
import { anthropicModel } from "@tinyagents/provider-anthropic";
import { ollamaModel } from "@tinyagents/provider-ollama";
import { openaiModel } from "@tinyagents/provider-openai";
import {
  anthropicWireServer,
  ollamaWireServer,
  openaiWireServer,
  type WireEntries,
  type WireServer,
} from "@tinyagents/testkit/wire";
import { onTestFinished } from "vitest";

/** Where a model is, and what it shows of whoever asks. */
export interface Connection {
  readonly baseUrl: string;
  readonly apiKey?: string;
  readonly headers?: { readonly [name: string]: string };
}

/** A provider: its strict server and its adapter. */
export interface Provider {
  readonly name: "OpenAI, Chat Completions" | "OpenAI, Responses" | "Anthropic" | "Ollama";
  serve(script: WireEntries): Promise<WireServer>;
  model(connection: Connection): ChatModel;
  /** How many frames of a streamed answer come up to its first character. */
  readonly framesToText: number;
  /** Where whoever forgets to hand over a key may have one. */
  readonly keyVariable: string;
}

const apiKey = "key-of-the-test";

/** All providers, each API of OpenAI's by itself. */
export const PROVIDERS: readonly Provider[] = [
  {
    name: "OpenAI, Chat Completions",
    serve: (script) => openaiWireServer(script),
    model: (connection) => openaiModel("gpt-4o", { apiKey, api: "chat", ...connection }),
    framesToText: 2,
    keyVariable: "OPENAI_API_KEY",
  },
  {
    name: "OpenAI, Responses",
    serve: (script) => openaiWireServer(script),
    model: (connection) => openaiModel("gpt-5", { apiKey, api: "responses", ...connection }),
    framesToText: 5,
    keyVariable: "OPENAI_API_KEY",
  },
  {
    name: "Anthropic",
    serve: (script) => anthropicWireServer(script),
    model: (connection) => anthropicModel("claude-opus-5", { apiKey, ...connection }),
    framesToText: 4,
    keyVariable: "ANTHROPIC_API_KEY",
  },
  {
    name: "Ollama",
    serve: (script) => ollamaWireServer(script),
    model: (connection) =>
      ollamaModel("qwen3", {
        ...connection,
        profile: { capabilities: { tools: "yes", reasoning: "yes", system_messages: "yes" } },
      }),
    framesToText: 1,
    keyVariable: "OLLAMA_API_KEY",
  },
];

/** The server and the model of a provider, for the rest of this test. */
export async function served(
  provider: Provider,
  script: WireEntries,
  connection: Omit<Connection, "baseUrl"> = {},
): Promise<{ readonly server: WireServer; readonly model: ChatModel }> {
  const server = await provider.serve(script);
  onTestFinished(() => server.close());
  return { server, model: provider.model({ baseUrl: server.url, ...connection }) };
}
