import {
  type ChatModel,
  isJsonObject,
  keptHeaders,
  linkedSignal,
  type ModelCallContext,
  type ModelDelta,
  type ModelRequest,
  tellPayload,
  throwIfAborted,
  withKeptHeaders,
} from "@tinyagents/core";
import type { OpenAI } from "openai";
import { chatCompletions } from "./chat/dialect.js";
import { createClient, openStream, post } from "./client.js";
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
  return chatModel("openaiModel", model, options);
}

/** `factory`: whose options they are, for errors. */
export function chatModel(factory: string, model: string, options: OpenAIModelOptions): ChatModel {
  const settings = readOptions(factory, model, options, profileOf);
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
  tellPayload(call, { type: "request", body });
  const reader = dialect.reader(warnings);
  const linked = linkedSignal(call.signal);
  try {
    if (call.delivery === "whole") {
      const { body: answer, headers } = await post(client, dialect.path, body, linked.signal);
      linked.throwIfAborted();
      tellPayload(call, { type: "answer", body: answer });
      const kept = keptHeaders(headers, secrets);
      for (const delta of dialect.readWhole(answer, warnings)) yield withKeptHeaders(delta, kept);
      return;
    }
    const { body: frames, headers } = await openStream(client, dialect.path, body, linked.signal);
    const kept = keptHeaders(headers, secrets);
    for await (const frame of frames) {
      tellPayload(call, { type: "frame", body: frame });
      if (isJsonObject(frame)) for (const delta of reader.read(frame)) yield withKeptHeaders(delta, kept);
    }
    // The SDK ends the loop of an aborted stream as it ends any other.
    linked.throwIfAborted();
    for (const delta of reader.end()) yield withKeptHeaders(delta, kept);
  } catch (error) {
    linked.throwIfAborted();
    const said = dialect.readFailure?.({ error, request, nextIndex: reader.nextIndex, warnings });
    if (said === undefined) throw toError(error, { provider, model, secrets, partialText: reader.partialText });
    yield* said;
  } finally {
    linked.release();
  }
}
