import { type ChatModel, linkedSignal, tellPayload, throwIfAborted } from "@tinyagents/core";
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
      tellPayload(call, { type: "request", body: prepared.body });
      const reader = new AnswerReader(prepared, settings);
      const linked = linkedSignal(call.signal);
      try {
        if (call.delivery === "whole") {
          const answer = await ask(settings, linked.signal, chatWhole(prepared.body));
          tellPayload(call, { type: "answer", body: answer });
          yield* reader.read(answer);
        } else {
          for await (const line of readLines(await openChat(settings, prepared.body, linked.signal))) {
            tellPayload(call, { type: "frame", body: line });
            yield* reader.read(line);
            if (reader.done) break;
          }
        }
        linked.throwIfAborted();
        yield* reader.end();
      } catch (error) {
        linked.throwIfAborted();
        const refused = error instanceof ServerFailure ? refusedCall(error.message, request.tools ?? []) : undefined;
        if (refused === undefined) throw toError(error, { model, baseUrl, secrets, partialText: reader.partialText });
        yield* reader.endWith(refused);
      } finally {
        linked.release();
      }
    },
  };
}
