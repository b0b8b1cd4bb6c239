import {
  abortError,
  type ChatModel,
  isJsonObject,
  type JsonObject,
  type ModelCallContext,
  type ModelDelta,
  type ModelRequest,
  onAbort,
  throwIfAborted,
} from "@tinyagents/core";
import { APIError, type OpenAI } from "openai";
import { chatCompletions } from "./chat/dialect.js";
import { createClient } from "./client.js";
import type { Dialect } from "./dialect.js";
import { type OpenAIModelOptions, readOptions, type Settings } from "./options.js";
import { profileOf } from "./profiles.js";
import { responses } from "./responses/dialect.js";
import { toError } from "./to-error.js";

/**
 * A model of OpenAI, or of a server that speaks one of its APIs. Reads nothing from the environment, makes one HTTP
 * request per call, and keeps the key out of every error.
 *
 * @throws TypeError for options that cannot work.
 */
export function openaiModel(model: string, options: OpenAIModelOptions): ChatModel {
  const settings = readOptions(model, options, profileOf);
  const dialect = settings.api === "responses" ? responses(settings) : chatCompletions(settings);
  let client: OpenAI | undefined;
  return {
    id: `${settings.provider}/${model}`,
    profile: settings.profile,
    stream(request, call) {
      client ??= createClient(settings);
      return ask(client, dialect, settings, request, call);
    },
  };
}

async function* ask(
  client: OpenAI,
  dialect: Dialect,
  { provider, model, secrets }: Settings,
  request: ModelRequest,
  call: ModelCallContext,
): AsyncGenerator<ModelDelta, void, undefined> {
  throwIfAborted(call.signal);
  const { body, warnings } = dialect.prepare(request, call.delivery);
  const reader = dialect.reader(warnings);
  const connection = connect(call);
  try {
    if (call.delivery === "whole") {
      const answer = await post(client, dialect.path, body, connection.signal);
      connection.throwIfStopped();
      yield* dialect.readWhole(answer, warnings);
      return;
    }
    for await (const frame of await openStream(client, dialect.path, body, connection.signal)) {
      if (isJsonObject(frame)) for (const delta of reader.read(frame)) yield delta;
    }
    // The SDK ends the loop of an aborted stream as it ends any other.
    connection.throwIfStopped();
    yield* reader.end();
  } catch (error) {
    connection.throwIfStopped();
    const said = dialect.readFailure?.({ error, request, nextIndex: reader.nextIndex, warnings });
    if (said === undefined) throw toError(error, { provider, model, secrets, partialText: reader.partialText });
    yield* said;
  } finally {
    connection.release();
  }
}

/** One call's own signal: the SDK leaves a listener on the one it is given, and the caller's lives longer. */
interface Connection {
  readonly signal: AbortSignal;
  /** @throws why the call was stopped, if it was. */
  throwIfStopped(): void;
  release(): void;
}

function connect({ signal }: ModelCallContext): Connection {
  const controller = new AbortController();
  const unlink = onAbort(signal, () => controller.abort(signal?.reason));
  return {
    signal: controller.signal,
    throwIfStopped() {
      if (controller.signal.aborted) throw abortError(controller.signal.reason);
    },
    release: unlink,
  };
}

type Frames = AsyncIterable<unknown>;

/** Servers send more, and less, than the SDK's types say: everything that comes is read as plain JSON. */
async function openStream(client: OpenAI, path: string, body: JsonObject, signal: AbortSignal): Promise<Frames> {
  return (await client.post(path, { body, signal, stream: true })) as Frames;
}

async function post(client: OpenAI, path: string, body: JsonObject, signal: AbortSignal): Promise<unknown> {
  const answer: unknown = await client.post(path, { body, signal });
  if (!isJsonObject(answer) || !isJsonObject(answer.error)) return answer;
  throw new APIError(undefined, answer.error, undefined, undefined);
}
