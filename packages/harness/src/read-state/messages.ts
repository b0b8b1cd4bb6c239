import { type Check, flag, list, object, oneOf, optional, shape, something, text, union } from "./fields.js";

const source: Check = union("type", {
  base64: shape({ mediaType: text, data: text }),
  url: shape({ url: text }),
  provider_file: shape({ provider: text, fileId: text }),
});
const said: Check = shape({ text });
const medium: Check = shape({ source });

const block: Check = union("type", {
  text: said,
  reasoning: said,
  refusal: said,
  json: shape({ value: something }),
  image: medium,
  audio: medium,
  file: medium,
  tool_call: shape({ id: text, name: text, args: object, invalid: optional(shape({ reason: text, raw: text })) }),
  tool_result: (value, place) => providerResult(value, place),
  citation: shape({ source: object, text: optional(text) }),
  provider: shape({ provider: text, value: something }),
});

const content: Check = list(block);
const providerResult: Check = shape({ callId: text, content, isError: flag });

/** The reasons for which a model stops. */
export const finishReason: Check = oneOf([
  "stop",
  "tool_calls",
  "length",
  "content_filter",
  "refusal",
  "pause",
  "error",
  "other",
]);

const STATUSES = [
  "ok",
  "failed",
  "invalid",
  "unknown_tool",
  "denied",
  "timeout",
  "cancelled",
  "not_run",
  "superseded",
] as const;

/** The result of one call. */
export const toolMessage: Check = shape({
  role: oneOf(["tool"]),
  toolCallId: text,
  name: text,
  content,
  isError: flag,
  status: oneOf(STATUSES),
});

/** A message of any role. */
export const message: Check = union("role", {
  system: shape({ content }),
  user: shape({ content }),
  assistant: shape({ content, finishReason: optional(finishReason), usage: optional(object), model: optional(object) }),
  tool: toolMessage,
});
