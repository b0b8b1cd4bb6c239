import {
  type ChatModel,
  isJsonObject,
  keptHeaders,
  providerModel,
  tellPayload,
  withKeptHeaders,
} from "@tinyagents/core";
import type { OpenAI } from "openai";
import { chatCompletions } from "./chat/dialect.js";
import { createClient, openStream, post } from "./client.js";
import { type OpenAIModelOptions, readOptions } from "./options.js";
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
  return chatModel("openaiModel", model, options);
}

/** `factory`: whose options they are, for errors. */
export function chatModel(factory: string, model: string, options: OpenAIModelOptions): ChatModel {
  const settings = readOptions(factory, model, options, profileOf);
  const { profile, secrets } = settings;
  const dialect = settings.api === "responses" ? responses(settings) : chatCompletions(settings);
  let client: OpenAI | undefined;
  return providerModel(profile, {
    secrets,
    failed: toError,
    async *ask(request, call) {
      const { body, warnings } = dialect.prepare(request, call.delivery);
      tellPayload(call, { type: "request", body });
      client ??= createClient(settings);
      const reader = dialect.reader(warnings);
      try {
        if (call.delivery === "whole") {
          const { body: answer, headers } = await post(client, dialect.path, body, call.signal);
          tellPayload(call, { type: "answer", body: answer });
          const kept = keptHeaders(headers, secrets);
          for (const delta of dialect.readWhole(answer, warnings)) yield withKeptHeaders(delta, kept);
          return;
        }
        const { body: frames, headers } = await openStream(client, dialect.path, body, call.signal);
        const kept = keptHeaders(headers, secrets);
        for await (const frame of frames) {
          tellPayload(call, { type: "frame", body: frame });
          if (isJsonObject(frame)) yield* reader.read(frame);
        }
        for (const delta of reader.end()) yield withKeptHeaders(delta, kept);
      } catch (error) {
        const said = dialect.readFailure?.({ error, request, nextIndex: reader.nextIndex, warnings });
        if (said === undefined) throw error;
        yield* said;
      }
    },
  });
}
