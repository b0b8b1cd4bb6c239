import { type Anthropic, APIError } from "@anthropic-ai/sdk";
import {
  type ChatModel,
  isJsonObject,
  type JsonObject,
  keptHeaders,
  providerModel,
  redactText,
  systemClock,
  tellPayload,
  withKeptHeaders,
} from "@tinyagents/core";
import { createClient } from "./client.js";
import { StreamReader } from "./from-stream.js";
import { readWhole } from "./from-whole.js";
import { type AnthropicModelOptions, readOptions, type Settings } from "./options.js";
import { toError } from "./to-error.js";
import { MessageConverter } from "./to-messages.js";
import { toRequest } from "./to-request.js";

/**
 * The longest answer that is waited for in one piece, in tokens. A longer one is streamed, whoever watches: the server
 * may write for minutes, and connections on which nothing comes are given up (Node's `fetch`: after 300 s).
 * @see https://platform.claude.com/docs/en/api/errors#long-requests
 */
const LONGEST_WHOLE_TOKENS = 10_000;

/**
 * A Claude model behind Anthropic's Messages API, or a model behind a server that speaks it. Reads nothing from the
 * environment, makes one HTTP request per call, and keeps the key out of every error.
 *
 * @throws TypeError for options that cannot work.
 */
export function anthropicModel(model: string, options: AnthropicModelOptions): ChatModel {
  const settings = readOptions("anthropicModel", model, options);
  const { provider, profile, secrets, traits } = settings;
  const converter = new MessageConverter(provider, traits.midSystem);
  let client: Anthropic | undefined;
  return providerModel(profile, {
    secrets,
    failed: toError,
    async *ask(request, call) {
      const { body, betas, warnings } = toRequest(settings, request, converter, systemClock.now());
      const inOnePiece = call.delivery === "whole" && Number(body.max_tokens) <= LONGEST_WHOLE_TOKENS;
      tellPayload(call, { type: "request", body: { ...body, stream: !inOnePiece } });
      client ??= createClient(settings);
      const sending = { client, body, headers: betaHeader(settings, betas), signal: call.signal };
      if (inOnePiece) {
        const { body: answer, requestId, headers } = await post(sending, secrets);
        tellPayload(call, { type: "answer", body: answer });
        const kept = keptHeaders(headers, secrets);
        for (const delta of readWhole(answer, provider, warnings, requestId)) yield withKeptHeaders(delta, kept);
        return;
      }
      const { body: events, requestId, headers } = await openStream(sending, secrets);
      const kept = keptHeaders(headers, secrets);
      const reader = new StreamReader(provider, warnings, requestId);
      for await (const event of events) {
        tellPayload(call, { type: "frame", body: event });
        if (!isJsonObject(event)) continue;
        if (event.type === "error") throw new APIError(undefined, event, undefined, undefined);
        yield* reader.read(event);
      }
      for (const delta of reader.end()) yield withKeptHeaders(delta, kept);
    },
  });
}

/** One request, ready to be sent. */
interface Sending {
  readonly client: Anthropic;
  readonly body: JsonObject;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** What came, and what its headers say. */
interface Received<T> {
  readonly body: T;
  readonly requestId: string;
  readonly headers: Headers;
}

interface Answered {
  readonly data: unknown;
  readonly request_id?: string | null | undefined;
  readonly response: Response;
}

/** Servers send more, and less, than the SDK's types say: everything that comes is read as plain JSON. */
async function openStream(
  { client, body, headers, signal }: Sending,
  secrets: readonly string[],
): Promise<Received<AsyncIterable<unknown>>> {
  const options = { body: { ...body, stream: true }, headers, signal, stream: true } as const;
  const answered: Answered = await client.post("/v1/messages", options).withResponse();
  return { ...received(answered, secrets), body: answered.data as AsyncIterable<unknown> };
}

async function post(
  { client, body, headers, signal }: Sending,
  secrets: readonly string[],
): Promise<Received<unknown>> {
  const options = { body: { ...body, stream: false }, headers, signal };
  const answered: Answered = await client.post("/v1/messages", options).withResponse();
  const { data } = answered;
  if (isJsonObject(data) && data.type === "error") throw new APIError(undefined, data, undefined, undefined);
  return received(answered, secrets);
}

function received({ data, request_id, response }: Answered, secrets: readonly string[]): Received<unknown> {
  return { body: data, requestId: redactText(request_id ?? "", secrets), headers: response.headers };
}

const BETA = "anthropic-beta";

/** The header that names features, with those that every request asks for. */
export function betaHeader({ headers }: Settings, betas: readonly string[]): Readonly<Record<string, string>> {
  if (betas.length === 0) return {};
  const always = Object.entries(headers).filter(([name]) => name.toLowerCase() === BETA);
  return { [BETA]: [...always.map(([, value]) => value), ...betas].join(",") };
}
