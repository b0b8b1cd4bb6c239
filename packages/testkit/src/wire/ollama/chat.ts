import type { JsonObject } from "@tinyagents/core";
import type { ScriptedEndpoint } from "../dialect.js";
import type { WireFailure } from "../entry.js";
import { type Frame, type Framing, putBefore } from "../frame.js";
import type { WireRequest } from "../request.js";
import { checkChat } from "./check-chat.js";
import { chatBody, chatFrames, promptTokens } from "./frames.js";
import { type Models, notFound } from "./models.js";

/** `POST /api/chat`. A prompt that is too long loses its head without a word. */
export function chatEndpoint(models: Models, extraParams: readonly string[]): ScriptedEndpoint {
  return {
    type: "scripted",
    method: "POST",
    lacks: ["signature", "refusal", "blocks", "wholeCalls", "usageIn", "embeddings", "no_done", "comments"],
    problems: ({ body }) => checkChat(body, extraParams),
    refusal: ({ body }) => unable(body, models),
    streams: ({ stream }) => stream !== false,
    framing,
    frames: (answer, request) => chatFrames(answer, request, models.window(request.body)),
    whole: (answer, request, finished) => chatBody(answer, request, models.window(request.body), finished),
  };
}

function unable(body: JsonObject, models: Models): WireFailure | undefined {
  const model = models.find(body.model);
  if (model === undefined) return notFound(body.model);
  const can = (capability: string): boolean => model.capabilities.includes(capability);
  if (!can("completion")) return { status: 400, message: `"${model.name}" does not support chat` };
  if (Array.isArray(body.tools) && body.tools.length > 0 && !can("tools")) {
    return { status: 400, message: `registry.ollama.ai/library/${model.name} does not support tools` };
  }
  if (body.think !== undefined && body.think !== false && !can("thinking")) {
    return { status: 400, message: `"${String(body.model)}" does not support thinking` };
  }
  const tooLong = body.truncate === false && promptTokens(body) > models.window(body);
  return tooLong ? { status: 400, reason: "prompt_too_long" } : undefined;
}

const BROKEN = "an error was encountered while running the model: unexpected EOF";

/** @see https://docs.ollama.com/api/errors for errors amid a stream */
export const framing: Framing = {
  contentType: "application/x-ndjson",
  write: ({ data }, lineEnd) => `${data}${lineEnd}`,
  comment: "",
  malformed: (data = '{"model":"m","created_at":"2023-11-14T22:13:20Z","mess') => ({ kind: "raw", data }),
  error: ({ message = BROKEN } = {}) => ({ kind: "raw", data: JSON.stringify({ error: message }) }),
  bare: withUnknown,
};

/** An empty line of an answer, one without a message, and one with a field that nobody knows. */
function withUnknown(frames: readonly Frame[], { body }: WireRequest): readonly Frame[] {
  const note = (fields: JsonObject): Frame => ({
    kind: "raw",
    data: JSON.stringify({ model: body.model ?? "", created_at: "2023-11-14T22:13:20Z", done: false, ...fields }),
  });
  const empty = note({ message: { role: "assistant", content: "" } });
  return [empty, ...putBefore(frames, ["finish"], [note({}), note({ future: { note: "of a later version" } })])];
}
