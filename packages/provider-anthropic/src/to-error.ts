import { APIConnectionError, APIError } from "@anthropic-ai/sdk";
import {
  type FailedCall,
  isJsonObject,
  type JsonObject,
  providerError,
  systemClock,
  type TinyAgentsError,
  textOf,
  transportError,
} from "@tinyagents/core";
import { classify, type Failure, tokensIn, unknownModel } from "./classify.js";
import { waitMsIn } from "./retry-hint.js";

/** The typed error for whatever the SDK threw. Its `cause` is the SDK's error, with the secrets taken out. */
export function toError(error: unknown, call: FailedCall): TinyAgentsError {
  if (!(error instanceof APIError) || error instanceof APIConnectionError) return transportError(error, call);
  const body: JsonObject = isJsonObject(error.error) ? error.error : {};
  const failure = readFailure(error, body);
  const { status, codes, message } = failure;
  const { headers, requestID } = error;
  const code = classify(failure);
  const told = {
    code,
    status,
    providerCode: codes[0],
    message,
    headers,
    requestId: requestID || textOf(body.request_id),
    retryAfterMs: waitMsIn(headers, () => systemClock.now()),
    model: unknownModel(failure),
    ...(code === "context_window_exceeded" ? tokensIn(message) : {}),
  };
  return providerError(told, call, error);
}

/**
 * Reads `{"type":"error","error":{…},"request_id":…}`. Gateways put the error's fields at the top, or send no JSON.
 * @see https://platform.claude.com/docs/en/api/errors
 */
function readFailure(error: APIError, body: JsonObject): Failure {
  const inner = isJsonObject(body.error) ? body.error : body;
  const details = isJsonObject(inner.details) ? inner.details : {};
  const codes = [details.error_code, inner.type, inner.code].map(textOf);
  const said = [inner.message, body.message, body.error, body.detail].find((text) => typeof text === "string");
  return {
    status: error.status,
    codes: codes.filter((code) => code !== "" && code !== "error"),
    message: typeof said === "string" ? said : error.message,
  };
}
