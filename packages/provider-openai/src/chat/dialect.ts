import type { Dialect } from "../dialect.js";
import type { Settings } from "../options.js";
import { readFailedGeneration } from "./failed-generation.js";
import { StreamReader } from "./from-stream.js";
import { readWhole } from "./from-whole.js";
import { MessageConverter } from "./to-messages.js";
import { toRequest } from "./to-request.js";

/** Chat Completions. @see https://platform.openai.com/docs/api-reference/chat */
export function chatCompletions(settings: Settings): Dialect {
  const { provider, quirks, secrets } = settings;
  const converter = new MessageConverter(provider, quirks);
  return {
    path: "/chat/completions",
    prepare: (request, delivery) => toRequest(settings, request, delivery, converter),
    reader: (warnings) => new StreamReader(provider, quirks, warnings),
    readWhole: (answer, warnings) => readWhole(answer, provider, quirks, warnings),
    readFailure: ({ error, request, nextIndex, warnings }) =>
      readFailedGeneration(error, request.tools ?? [], nextIndex, warnings, secrets),
  };
}
