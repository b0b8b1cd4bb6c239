import { readObject } from "../guarded-read.js";
import { answer, finishReason, resolvedModel, usage } from "../message/read-message.js";
import { amount, list, object, oneOf, optional, shape, text, whole } from "../shape.js";
import type { ModelResponse } from "./collect.js";
import type { ModelWarning } from "./delta.js";
import type { ModelTiming } from "./timing.js";

const warning = shape<ModelWarning>({
  code: oneOf(["unsupported_setting", "changed_setting", "provider", "malformed_data"]),
  message: text,
  setting: optional(text),
});

const response = shape<ModelResponse>({
  message: answer,
  finishReason,
  rawFinishReason: optional(text),
  model: resolvedModel,
  responseId: optional(text),
  usage: optional(usage),
  attempts: whole(),
  warnings: list(warning),
  providerData: optional(object),
  timing: optional(
    shape<ModelTiming>({
      elapsedMs: amount,
      answerMs: optional(amount),
      firstDeltaMs: optional(amount),
      waitedMs: optional(amount),
      readerMs: amount,
    }),
  ),
});

/**
 * The answer of a model that was stored, checked field by field.
 * @throws `corrupt_data` that names the place.
 */
export function readModelResponse(value: unknown, place: string): ModelResponse {
  const stored = readObject(value, place);
  response(stored, place);
  return stored as unknown as ModelResponse;
}
