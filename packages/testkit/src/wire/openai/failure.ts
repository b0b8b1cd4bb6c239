import type { JsonObject } from "@tinyagents/core";
import { type FailedReply, toFailedReply } from "../dialect.js";
import type { WireFailure } from "../entry.js";

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
  405: { type: "invalid_request_error", code: null, message: "The method is not allowed here." },
  429: { type: "requests", code: "rate_limit_exceeded", message: "Rate limit reached for requests." },
  500: { type: "server_error", code: null, message: "The server had an error while processing your request." },
  503: { type: "service_unavailable_error", code: null, message: "The engine is currently overloaded." },
  529: { type: "overloaded_error", code: "overloaded", message: "The service is overloaded." },
};

/** What no status says by itself. */
const BY_REASON: { readonly [reason in NonNullable<WireFailure["reason"]>]: Named } = {
  quota: {
    type: "insufficient_quota",
    code: "insufficient_quota",
    message: "You exceeded your current quota, please check your plan and billing details.",
  },
  prompt_too_long: {
    type: "invalid_request_error",
    code: "context_length_exceeded",
    message: "This model's maximum context length is 128000 tokens. However, your messages resulted in 128001 tokens.",
  },
};

const UNNAMED: Named = { type: "api_error", code: null, message: "The request failed." };

/** A refusal in OpenAI's words. */
export function openaiFailure(failure: WireFailure): FailedReply {
  const named = namedBy(failure);
  const error: JsonObject = {
    message: failure.message ?? named.message,
    type: failure.type ?? named.type,
    param: failure.param ?? null,
    code: failure.code === undefined ? named.code : failure.code,
    ...failure.more,
  };
  return toFailedReply(failure, { error });
}

function namedBy({ status, reason, code }: WireFailure): Named {
  if (reason !== undefined) return BY_REASON[reason];
  return Object.values(BY_REASON).find((named) => named.code === code) ?? BY_STATUS[status] ?? UNNAMED;
}
