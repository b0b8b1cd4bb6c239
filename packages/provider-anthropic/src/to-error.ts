import { APIConnectionError, APIConnectionTimeoutError, APIError } from "@anthropic-ai/sdk";
import {
  isJsonObject,
  isTinyAgentsError,
  type JsonObject,
  messageOf,
  type ProviderFailure,
  redactError,
  redactText,
  systemClock,
  systemCodeOf,
  TinyAgentsError,
} from "@tinyagents/core";
import { classify, type Failure, type FailureCode, SERVER_FAILED, tokensIn, unknownModel } from "./classify.js";
import { waitMsIn } from "./retry-hint.js";

/** What an error needs to know of the call that failed. */
export interface FailureContext {
  readonly provider: string;
  readonly secrets: readonly string[];
  /** The visible text that had come. */
  readonly partialText?: string;
}

/** The typed error for whatever the SDK threw. Its `cause` is the SDK's error, with the secrets taken out. */
export function toError(error: unknown, context: FailureContext): TinyAgentsError {
  const ours = isTinyAgentsError(error) ? error : error instanceof Error ? error.cause : undefined;
  if (isTinyAgentsError(ours)) return ours;
  const cause = redactError(error, context.secrets);
  if (error instanceof APIConnectionError) return networkError(error, cause, context);
  if (error instanceof APIError) return providerError(error, cause, context);
  if (error instanceof SyntaxError) return malformed(context);
  return networkError(error, cause, context);
}

function networkError(error: unknown, cause: unknown, context: FailureContext): TinyAgentsError<"network"> {
  const { provider, partialText = "" } = context;
  const timedOut = error instanceof APIConnectionTimeoutError;
  const reason = timedOut ? "connection_timeout" : (systemCodeOf(error) ?? "connection_failed");
  return new TinyAgentsError("network", `The connection to ${provider} failed: ${messageOf(cause)}`, {
    details: { provider, reason, ...(partialText === "" ? {} : { partialText }) },
    cause,
  });
}

/** Without the parser's error: it quotes the frame in pieces, and a piece of a secret cannot be found in it. */
function malformed({ provider }: FailureContext): TinyAgentsError<"provider_server"> {
  return new TinyAgentsError("provider_server", `${provider} sent a frame that is no JSON.`, {
    details: { provider, providerCode: "malformed_response" },
  });
}

function providerError(error: APIError, cause: unknown, context: FailureContext): TinyAgentsError {
  const failure = readFailure(error, context.secrets);
  const code = classify(failure);
  const { status, codes, message, requestId } = failure;
  const [providerCode] = codes;
  const details: ProviderFailure = {
    provider: context.provider,
    ...(status === undefined ? {} : { status }),
    ...(providerCode === undefined ? {} : { providerCode }),
    ...(requestId === undefined ? {} : { requestId }),
  };
  const happened = SERVER_FAILED.has(code) ? "failed" : "refused the request";
  const text = `${context.provider} ${happened}${status === undefined ? "" : ` (${status})`}: ${message}`;
  return typed(code, text, details, failure, cause);
}

function typed(
  code: FailureCode,
  text: string,
  details: ProviderFailure,
  failure: Failure,
  cause: unknown,
): TinyAgentsError {
  const { headers, message } = failure;
  const said = headers?.get("x-should-retry");
  const retryable = said === "true" ? true : said === "false" ? false : undefined;
  switch (code) {
    case "network":
      return new TinyAgentsError(code, text, {
        details: { provider: details.provider, reason: "request_timeout" },
        cause,
      });
    case "model_not_found": {
      const model = unknownModel(failure) ?? "";
      return new TinyAgentsError(code, text, { details: { model, provider: details.provider }, cause });
    }
    case "context_window_exceeded":
      return new TinyAgentsError(code, text, { details: { ...details, ...tokensIn(message) }, cause });
    case "provider_rate_limit":
    case "provider_overloaded":
    case "provider_server": {
      const waitMs = waitMsIn(headers, () => systemClock.now());
      const hinted = waitMs === undefined ? details : { ...details, retryAfterMs: waitMs };
      return new TinyAgentsError(code, text, { details: hinted, cause, retryable });
    }
    default:
      return new TinyAgentsError(code, text, { details, cause, retryable });
  }
}

/**
 * Reads `{"type":"error","error":{…},"request_id":…}`. Gateways put the error's fields at the top, or send no JSON.
 * @see https://platform.claude.com/docs/en/api/errors
 */
function readFailure(error: APIError, secrets: readonly string[]): Failure {
  const body: JsonObject = isJsonObject(error.error) ? error.error : {};
  const inner = isJsonObject(body.error) ? body.error : body;
  const details = isJsonObject(inner.details) ? inner.details : {};
  const codes = [details.error_code, inner.type, inner.code].filter(
    (code): code is string => typeof code === "string" && code !== "" && code !== "error",
  );
  const said = [inner.message, body.message, body.error, body.detail].find((text) => typeof text === "string");
  const requestId = error.requestID || (typeof body.request_id === "string" ? body.request_id : "");
  return {
    status: error.status,
    codes: codes.map((code) => redactText(code, secrets)),
    message: redactText(typeof said === "string" ? said : error.message, secrets),
    headers: error.headers,
    requestId: requestId === "" ? undefined : redactText(requestId, secrets),
  };
}
