import type { Dialect } from "../dialect.js";
import type { Settings } from "../options.js";
import { EventReader } from "./from-events.js";
import { readResponse } from "./from-response.js";
import { InputConverter } from "./to-input.js";
import { toRequest } from "./to-request.js";

/** The Responses API. @see https://platform.openai.com/docs/api-reference/responses */
export function responses(settings: Settings): Dialect {
  const { provider, store } = settings;
  const converter = new InputConverter(provider, store);
  return {
    path: "/responses",
    prepare: (request, delivery) => toRequest(settings, request, delivery, converter),
    reader: (warnings) => new EventReader(provider, warnings),
    readWhole: (answer, warnings) => readResponse(answer, provider, warnings),
  };
}
