import type { JsonObject } from "@tinyagents/core";
import type { ScriptedEndpoint } from "../dialect.js";
import { type Frame, type Framing, putBefore, writeEvent } from "../frame.js";
import type { WireRequest } from "../request.js";
import { chatBody, chatFrames } from "./chat-frames.js";
import { checkChat } from "./check-chat.js";

/** `POST /v1/chat/completions`. */
export function chatEndpoint(extraParams: readonly string[]): ScriptedEndpoint {
  return {
    type: "scripted",
    method: "POST",
    lacks: ["signature", "blocks", "embeddings"],
    problems: ({ body }) => checkChat(body, extraParams),
    streams: ({ stream }) => stream === true,
    framing: chatFraming,
    frames: chatFrames,
    whole: chatBody,
  };
}

const DOWN: JsonObject = {
  message: "The server had an error while processing your request.",
  type: "server_error",
  code: null,
};

/** How frames of the older endpoints look. */
export const chatFraming: Framing = {
  contentType: "text/event-stream; charset=utf-8",
  write: ({ data }, lineEnd) => writeEvent({ kind: "raw", data }, lineEnd),
  comment: ": still working",
  malformed: (data = '{"id":"chatcmpl-1","choices":[{"index":0,"del') => ({ kind: "raw", data }),
  error: (error = DOWN) => ({ kind: "raw", data: JSON.stringify({ error }) }),
  bare: withNotes,
};

/**
 * Notes of a content filter, as a hosted variant sends them.
 * @see https://learn.microsoft.com/azure/ai-services/openai/concepts/content-streaming
 */
function withNotes(frames: readonly Frame[], { body, number }: WireRequest): readonly Frame[] {
  const head = { id: `chatcmpl-${number}`, object: "chat.completion.chunk", model: body.model ?? "" };
  const note = (fields: object): Frame => ({ kind: "raw", data: JSON.stringify({ ...head, ...fields }) });
  const filtered = { hate: { filtered: false, severity: "safe" } };
  const before = note({ choices: [], prompt_filter_results: [{ prompt_index: 0, content_filter_results: filtered }] });
  const between = note({ choices: [{ index: 0, finish_reason: null, content_filter_results: filtered }] });
  const after = note({ content_filter_results: filtered });
  const noted = [before, ...frames.slice(0, 1), between, ...frames.slice(1)];
  return [...putBefore(noted, ["finish", "done"], [after]), after];
}
