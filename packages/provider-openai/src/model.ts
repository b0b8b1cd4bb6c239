import {
  abortError,
  type ChatModel,
  isJsonObject,
  type JsonObject,
  type ModelCallContext,
  onAbort,
  throwIfAborted,
} from "@tinyagents/core";
import { APIError, type OpenAI } from "openai";
import { createClient } from "./client.js";
import { readFailedGeneration } from "./failed-generation.js";
import { StreamReader } from "./from-stream.js";
import { readWhole } from "./from-whole.js";
import { type OpenAIModelOptions, readOptions } from "./options.js";
import { profileOf } from "./profiles.js";
import { toError } from "./to-error.js";
import { MessageConverter } from "./to-messages.js";
import { toRequest } from "./to-request.js";

/**
 * A model behind OpenAI's Chat Completions API, or behind a server that speaks it. Reads nothing from the environment,
 * makes one HTTP request per call, and keeps the key out of every error.
 *
 * @throws TypeError for options that cannot work.
 */
export function openaiModel(model: string, options: OpenAIModelOptions): ChatModel {
  const settings = readOptions(model, options, profileOf);
  const converter = new MessageConverter(settings.provider, settings.reasoningField);
  let client: OpenAI | undefined;
  return {
    id: `${settings.provider}/${model}`,
    profile: settings.profile,
    async *stream(request, call) {
      throwIfAborted(call.signal);
      const { body, warnings } = toRequest(settings, request, call.delivery, converter);
      client ??= createClient(settings);
      const reader = new StreamReader(settings.provider, warnings);
      const connection = connect(call);
      try {
        if (call.delivery === "whole") {
          const answer = await post(client, body, connection.signal);
          connection.throwIfStopped();
          yield* readWhole(answer, settings.provider, warnings);
          return;
        }
        for await (const frame of await openStream(client, body, connection.signal)) {
          if (isJsonObject(frame)) for (const delta of reader.read(frame)) yield delta;
        }
        // The SDK ends the loop of an aborted stream as it ends any other.
        connection.throwIfStopped();
        yield* reader.end();
      } catch (error) {
        connection.throwIfStopped();
        const said = readFailedGeneration(error, request.tools ?? [], reader.nextIndex, warnings, settings.secrets);
        if (said === undefined)
          throw toError(error, {
            provider: settings.provider,
            secrets: settings.secrets,
            partialText: reader.partialText,
          });
        yield* said;
      } finally {
        connection.release();
      }
    },
  };
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
async function openStream(client: OpenAI, body: JsonObject, signal: AbortSignal): Promise<Frames> {
  return (await client.post("/chat/completions", { body, signal, stream: true })) as Frames;
}

async function post(client: OpenAI, body: JsonObject, signal: AbortSignal): Promise<unknown> {
  const answer: unknown = await client.post("/chat/completions", { body, signal });
  if (!isJsonObject(answer) || !isJsonObject(answer.error)) return answer;
  throw new APIError(undefined, answer.error, undefined, undefined);
}
