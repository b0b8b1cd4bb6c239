import { type ChatModel, linkedSignal, throwIfAborted } from "@tinyagents/core";
import { AnswerReader } from "./answer-reader.js";
import { ask, chatWhole, openChat } from "./client.js";
import { readLines } from "./ndjson.js";
import { type OllamaModelOptions, readModelOptions } from "./options.js";
import { PROVIDER } from "./profile.js";
import { refusedCall } from "./refused-call.js";
import { ServerFailure } from "./server-failure.js";
import { toError } from "./to-error.js";
import { MessageConverter } from "./to-messages.js";
import { toRequest } from "./to-request.js";

/**
 * A model behind Ollama's own API. Reads nothing from the environment, makes one HTTP request per call, and keeps the
 * key out of every error.
 *
 * @throws TypeError for options that cannot work.
 */
export function ollamaModel(model: string, options: OllamaModelOptions = {}): ChatModel {
  const settings = readModelOptions(model, options);
  const { profile, baseUrl, secrets } = settings;
  const converter = new MessageConverter(settings.sendReasoning);
  return {
    id: `${PROVIDER}/${model}`,
    profile,
    async *stream(request, call) {
      throwIfAborted(call.signal);
      const prepared = toRequest(settings, request, call.delivery, converter);
      const reader = new AnswerReader(prepared, settings);
      const linked = linkedSignal(call.signal);
      try {
        if (call.delivery === "whole") {
          yield* reader.read(await ask(settings, linked.signal, chatWhole(prepared.body)));
        } else {
          for await (const line of readLines(await openChat(settings, prepared.body, linked.signal))) {
            yield* reader.read(line);
            if (reader.done) break;
          }
        }
        linked.throwIfAborted();
        yield* reader.end();
      } catch (error) {
        linked.throwIfAborted();
        const call = error instanceof ServerFailure ? refusedCall(error.message, request.tools ?? []) : undefined;
        if (call === undefined) throw toError(error, { model, baseUrl, secrets, partialText: reader.partialText });
        yield* reader.endWith(call);
      } finally {
        linked.release();
      }
    },
  };
}
