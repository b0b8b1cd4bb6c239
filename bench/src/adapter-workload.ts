import { type ChatModel, collect, resolvedModel, text, userMessage } from "@tinyagents/core";
import { anthropicModel } from "@tinyagents/provider-anthropic";
import { ollamaModel } from "@tinyagents/provider-ollama";
import { openaiModel } from "@tinyagents/provider-openai";
import { anthropicWireServer, ollamaWireServer, openaiWireServer, type WireServer } from "@tinyagents/testkit/wire";

type Fetch = typeof globalThis.fetch;

/** A provider's stream, and who reads it: its adapter, or the least code that finds the text in it. */
export interface AdapterWorkload {
  readonly name: string;
  serve(said: string): Promise<WireServer>;
  model(fetch: Fetch, baseUrl: string | undefined): ChatModel;
  /** The text of one parsed frame. */
  textOf(frame: Frame): string | undefined;
}

/** Frames are read where they are expected to be right. */
// biome-ignore lint/suspicious/noExplicitAny: the hand-written reader checks nothing
type Frame = any;

const apiKey = "bench-key-1";

export const adapters: readonly AdapterWorkload[] = [
  {
    name: "openai, chat",
    serve: (said) => openaiWireServer([{ text: said, split: "characters" }]),
    model: (fetch, baseUrl) => openaiModel("gpt-4o", { apiKey, api: "chat", fetch, baseUrl }),
    textOf: (frame) => frame.choices?.[0]?.delta?.content,
  },
  {
    name: "openai, responses",
    serve: (said) => openaiWireServer([{ text: said, split: "characters" }]),
    model: (fetch, baseUrl) => openaiModel("gpt-4o", { apiKey, api: "responses", fetch, baseUrl }),
    textOf: (frame) => (frame.type === "response.output_text.delta" ? frame.delta : undefined),
  },
  {
    name: "anthropic",
    serve: (said) => anthropicWireServer([{ text: said, split: "characters" }]),
    model: (fetch, baseUrl) => anthropicModel("claude-haiku-4-5", { apiKey, fetch, baseUrl }),
    textOf: (frame) => frame.delta?.text,
  },
  {
    name: "ollama",
    serve: (said) => ollamaWireServer([{ text: said, split: "characters" }]),
    model: (fetch, baseUrl) => ollamaModel("qwen3", { fetch, baseUrl }),
    textOf: (frame) => frame.message?.content,
  },
];

/** A stream as it came over a socket. */
export interface Recording {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  readonly fragments: number;
  readonly said: string;
}

/** Has a strict server of the provider say so many fragments, and keeps the bytes. */
export async function record({ serve, model }: AdapterWorkload, fragments: number): Promise<Recording> {
  const said = "x".repeat(fragments);
  const server = await serve(said);
  let bytes = new Uint8Array();
  let contentType = "";
  const keep: Fetch = async (input, init) => {
    const response = await fetch(input, init);
    bytes = new Uint8Array(await response.clone().arrayBuffer());
    contentType = response.headers.get("content-type") ?? "";
    return response;
  };
  await readAll(model(keep, server.url));
  await server.close();
  return { bytes, contentType, fragments, said };
}

/** Network chunks of this size, as they come where fragments are small and the reader is fast. */
const CHUNK_BYTES = 1_400;

function replay({ bytes, contentType }: Recording): Fetch {
  return async () => {
    let at = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const chunk = bytes.slice(at, at + CHUNK_BYTES);
        at += CHUNK_BYTES;
        if (chunk.length === 0) controller.close();
        else controller.enqueue(chunk);
      },
    });
    return new Response(body, { headers: { "content-type": contentType } });
  };
}

/** @throws when a fragment is lost. */
export async function byAdapter({ model }: AdapterWorkload, recording: Recording): Promise<void> {
  expectAll(await readAll(model(replay(recording), undefined)), recording);
}

/** The limit: decode, split lines, parse, add the text up. @throws when a fragment is lost. */
export async function byHand({ textOf }: AdapterWorkload, recording: Recording): Promise<void> {
  const { body } = await replay(recording)("");
  const decoder = new TextDecoder();
  let rest = "";
  let said = "";
  for await (const chunk of body as ReadableStream<Uint8Array> & AsyncIterable<Uint8Array>) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const data = line.startsWith("data: ") ? line.slice(6) : line;
      if (data.startsWith("{")) said += textOf(JSON.parse(data)) ?? "";
    }
  }
  expectAll(said, recording);
}

async function readAll(model: ChatModel): Promise<string> {
  const request = { messages: [userMessage("Go on.")] };
  const deltas = model.stream(request, { signal: undefined, delivery: "incremental" });
  return text((await collect(deltas, resolvedModel(model))).message);
}

function expectAll(said: string, recording: Recording): void {
  if (said !== recording.said) throw new Error(`${said.length} of ${recording.fragments} fragments came`);
}
