import { isJsonObject, type JsonObject, refuseWebPage } from "@tinyagents/core";
// The entry for browsers, in Node too: the other one takes an image's text for a file name, and sends the file.
import { type ChatRequest, type EmbedRequest, Ollama } from "ollama/browser";
import type { ServerSettings } from "./options.js";
import { PROVIDER, WRONG_PLACE } from "./profile.js";
import { failureIn, readSaid, ServerFailure } from "./server-failure.js";

/** The bytes of a streamed answer. The SDK's own reader drops lines that it cannot parse, so it never sees them. */
export async function openChat(
  settings: ServerSettings,
  body: JsonObject,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  let bytes: ReadableStream<Uint8Array> | null = null;
  const client = clientFor(settings, signal, (answer) => {
    bytes = answer.body;
  });
  await client.chat(body as unknown as ChatRequest & { stream: true });
  if (bytes === null) throw new SyntaxError("an answer without a body");
  return bytes;
}

/** What the SDK is asked for besides streams. */
export type Call = (client: Ollama) => Promise<unknown>;

/** An answer in one piece: an object, whatever the SDK's types say of it. */
export async function ask(settings: ServerSettings, signal: AbortSignal, call: Call): Promise<JsonObject> {
  const answer = await call(clientFor(settings, signal));
  if (!isJsonObject(answer)) throw new SyntaxError("an answer that is no JSON object");
  const failure = failureIn(answer, settings.secrets);
  if (failure !== undefined) throw failure;
  return answer;
}

/** A chat in one piece. */
export function chatWhole(body: JsonObject): Call {
  return (client) => client.chat(body as unknown as ChatRequest & { stream: false });
}

/** The vectors of some texts. */
export function embed(body: JsonObject): Call {
  return (client) => client.embed(body as unknown as EmbedRequest);
}

/** The SDK for one call: it takes no signal, and stops all of its calls at once. */
function clientFor(settings: ServerSettings, signal: AbortSignal, look?: (answer: Response) => void): Ollama {
  const fetch = settings.fetch ?? globalThis.fetch;
  return new Ollama({
    host: settings.baseUrl,
    fetch: async (input, init) => {
      const answer = await fetch(input, { ...init, headers: headersOf(settings, init?.headers), signal });
      if (!answer.ok) throw new ServerFailure(readSaid(await answer.text()), settings.secrets, answer);
      await refuseWebPage(answer, { provider: PROVIDER, hint: WRONG_PLACE });
      if (answer.body === null) throw new SyntaxError("an answer without a body");
      look?.(answer);
      return answer;
    },
  });
}

/** For ollama.com the SDK takes a key from the environment: what was not handed in is not sent. */
function headersOf({ headers, apiKey }: ServerSettings, given: HeadersInit | undefined): Headers {
  const all = new Headers(given);
  all.delete("authorization");
  if (apiKey !== undefined) all.set("authorization", `Bearer ${apiKey}`);
  for (const [name, value] of Object.entries(headers)) all.set(name, value);
  return all;
}
