import type { JsonObject } from "@tinyagents/core";
import type { WireFailure } from "./entry.js";

/** A refusal as it goes over the wire. */
export interface FailedReply {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
}

interface Named {
  readonly type: string;
  readonly code: string | null;
  readonly message: string;
}

/**
 * What OpenAI says with a status. 529 is not among its own; overloaded gateways send it.
 * @see https://developers.openai.com/docs/guides/error-codes
 */
const BY_STATUS: { readonly [status: number]: Named } = {
  400: { type: "invalid_request_error", code: null, message: "The request is not valid." },
  401: { type: "invalid_request_error", code: "invalid_api_key", message: "Incorrect API key provided." },
  402: { type: "insufficient_quota", code: "insufficient_quota", message: "Payment required: no credit is left." },
  403: { type: "request_forbidden", code: "unsupported_country_region_territory", message: "Access is not allowed." },
  404: { type: "invalid_request_error", code: "model_not_found", message: "The model does not exist." },
  429: { type: "requests", code: "rate_limit_exceeded", message: "Rate limit reached for requests." },
  500: { type: "server_error", code: null, message: "The server had an error while processing your request." },
  503: { type: "service_unavailable_error", code: null, message: "The engine is currently overloaded." },
  529: { type: "overloaded_error", code: "overloaded", message: "The service is overloaded." },
};

/** What the same status says when quota or credit is used up, which no waiting mends. */
const QUOTA: Named = {
  type: "insufficient_quota",
  code: "insufficient_quota",
  message: "You exceeded your current quota, please check your plan and billing details.",
};

/** Status, headers and body of a failure. */
export function failedReply(failure: WireFailure): FailedReply {
  const { status, retryAfter, retryAfterMs, headers = {}, body, more = {} } = failure;
  const named = failure.code === QUOTA.code ? QUOTA : (BY_STATUS[status] ?? UNNAMED);
  const error: JsonObject = {
    message: failure.message ?? named.message,
    type: failure.type ?? named.type,
    param: failure.param ?? null,
    code: failure.code === undefined ? named.code : failure.code,
    ...more,
  };
  return {
    status,
    headers: {
      "content-type": body === undefined ? "application/json" : "text/html",
      ...(retryAfter === undefined ? {} : { "retry-after": String(retryAfter) }),
      ...(retryAfterMs === undefined ? {} : { "retry-after-ms": String(retryAfterMs) }),
      ...headers,
    },
    body: body ?? JSON.stringify({ error }),
  };
}

const UNNAMED: Named = { type: "api_error", code: null, message: "The request failed." };
