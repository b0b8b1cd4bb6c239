import { type ChatModel, jsonLines, providerModel, tellPayload } from "@tinyagents/core";
import { AnswerReader } from "./answer-reader.js";
import { ask, chatWhole, openChat } from "./client.js";
import { type OllamaModelOptions, readModelOptions } from "./options.js";
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
  return providerModel(profile, {
    secrets,
    failed: (error, failed) => toError(error, { ...failed, baseUrl }),
    async *ask(request, call) {
      const prepared = toRequest(settings, request, call.delivery, converter);
      tellPayload(call, { type: "request", body: prepared.body });
      const reader = new AnswerReader(prepared, settings);
      try {
        if (call.delivery === "whole") {
          const answer = await ask(settings, call.signal, chatWhole(prepared.body));
          tellPayload(call, { type: "answer", body: answer });
          yield* reader.read(answer);
        } else {
          for await (const line of jsonLines(await openChat(settings, prepared.body, call.signal))) {
            tellPayload(call, { type: "frame", body: line });
            yield* reader.read(line);
            if (reader.done) break;
          }
        }
        yield* reader.end();
      } catch (error) {
        const refused = error instanceof ServerFailure ? refusedCall(error.message, request.tools ?? []) : undefined;
        if (refused === undefined) throw error;
        yield* reader.endWith(refused);
      }
    },
  });
}
