import type { JsonObject } from "@tinyagents/core";
import { type FailedReply, toFailedReply } from "../dialect.js";
import type { WireFailure } from "../entry.js";
import type { WireRequest } from "../request.js";

interface Named {
  readonly type: string;
  readonly message: string;
}

/**
 * What Anthropic says with a status.
 * @see https://platform.claude.com/docs/en/api/errors
 */
const BY_STATUS: { readonly [status: number]: Named } = {
  400: { type: "invalid_request_error", message: "The request is not valid." },
  401: { type: "authentication_error", message: "invalid x-api-key" },
  402: { type: "billing_error", message: "There is an issue with your billing or payment information." },
  403: { type: "permission_error", message: "Your API key may not use this resource." },
  404: { type: "not_found_error", message: "The model was not found." },
  405: { type: "invalid_request_error", message: "The method is not allowed." },
  413: { type: "request_too_large", message: "Request exceeds the maximum size" },
  429: { type: "rate_limit_error", message: "This request would exceed your organization's rate limit." },
  500: { type: "api_error", message: "Internal server error" },
  504: { type: "timeout_error", message: "The request timed out." },
  529: { type: "overloaded_error", message: "Overloaded" },
};

const UNNAMED: Named = { type: "api_error", message: "The request failed." };

/** What no status says by itself. Its type is still that of the status. */
const BY_REASON: { readonly [reason in NonNullable<WireFailure["reason"]>]: string } = {
  quota:
    "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.",
  prompt_too_long: "prompt is too long: 200001 tokens > 200000 maximum",
};

/** The moment when a limit resets, as far as it needs to be one: the same in every run. */
const LIMITED_AT_MS = 1_700_000_000_000;

/** A refusal in Anthropic's words. */
export function anthropicFailure(failure: WireFailure, { number }: WireRequest): FailedReply {
  const { status, reason, code, more } = failure;
  const named = BY_STATUS[status] ?? UNNAMED;
  const error: JsonObject = {
    type: failure.type ?? named.type,
    message: failure.message ?? (reason === undefined ? named.message : BY_REASON[reason]),
    ...(code === undefined || code === null ? {} : { details: { error_code: code } }),
    ...more,
  };
  return toFailedReply(failure, { type: "error", error, request_id: `req_${number}` }, limitHeaders(failure));
}

/** @see https://platform.claude.com/docs/en/api/rate-limits#response-headers */
function limitHeaders({ status, retryAfter }: WireFailure): { readonly [name: string]: string } {
  if (status !== 429 || typeof retryAfter !== "number") return {};
  return {
    "anthropic-ratelimit-requests-limit": "50",
    "anthropic-ratelimit-requests-remaining": "0",
    "anthropic-ratelimit-requests-reset": new Date(LIMITED_AT_MS + retryAfter * 1_000).toISOString(),
  };
}
