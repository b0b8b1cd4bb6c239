import {
  codeOfStatus,
  type FailedCall,
  isJsonObject,
  type JsonObject,
  type ProviderCode,
  providerError,
  type TinyAgentsError,
  textOf,
  transportError,
} from "@tinyagents/core";
import { APIConnectionError, APIError } from "openai";

/** The typed error for whatever the SDK threw. Its `cause` is the SDK's error, with the secrets taken out. */
export function toError(error: unknown, call: FailedCall): TinyAgentsError {
  if (!(error instanceof APIError) || error instanceof APIConnectionError) return transportError(error, call);
  const failure = readFailure(error);
  const { status, codes, message } = failure;
  const code = classify(failure);
  const told = {
    code,
    status,
    providerCode: codes[0],
    message,
    headers: error.headers,
    ...(code === "context_window_exceeded" ? tokensIn(message) : {}),
  };
  return providerError(told, call, error);
}

/** What an answer with an error says. In a stream there is no status: then codes alone tell. */
interface Failure {
  readonly status: number | undefined;
  readonly codes: readonly string[];
  readonly message: string;
}

function readFailure(error: APIError): Failure {
  const body: JsonObject = isJsonObject(error.error) ? error.error : {};
  const numeric = typeof body.code === "number" && body.code >= 400 ? body.code : undefined;
  return {
    status: error.status ?? numeric,
    codes: [body.code, body.type, body.status].map(textOf).filter((code) => code !== ""),
    message: typeof body.message === "string" ? body.message : error.message,
  };
}

/** Codes that say more than the status. The first line that fits wins. */
const BY_CODE = [
  ["provider_billing", /^(insufficient_quota|billing_hard_limit_reached|billing_not_active|insufficient_balance)$/],
  ["context_window_exceeded", /^(context_length_exceeded|context_window_exceeded)$/],
  ["model_not_found", /^(model_not_found|modelnotfound|unknown_model)$/],
  [
    "provider_content_filter",
    /^(content_filter|(image_)?content_policy_violation|responsibleaipolicyviolation|bio_policy)$/,
  ],
  [
    "provider_auth",
    /^(invalid_api_key|authentication_error|permission_error|permission_denied|invalid_authentication)$/,
  ],
  ["provider_rate_limit", /^(rate_limit_exceeded|rate_limit_error|too_many_requests|tokens|requests)$/],
  ["provider_overloaded", /^(overloaded|overloaded_error|server_overloaded|engine_overloaded|service_unavailable)$/],
] as const;
const REFUSED_CODE =
  /^(invalid_request_error|invalid_request|invalid_prompt|not_found_error|bad_request|badrequesterror)$|image/;
const CONTEXT_MESSAGE =
  /maximum context length|context (length|window|size).*exceed|exceed.*context (length|window|size)/i;

/** How much of a message is looked through: a long one would take long. */
const READ_CHARS = 4_000;

function classify({ status, codes, message }: Failure): ProviderCode {
  const lower = codes.map((code) => code.toLowerCase());
  const known = BY_CODE.find(([, pattern]) => lower.some((code) => pattern.test(code)));
  if (known !== undefined) return known[0];
  if (
    (status === undefined || status === 400 || status === 413) &&
    CONTEXT_MESSAGE.test(message.slice(0, READ_CHARS))
  ) {
    return "context_window_exceeded";
  }
  if (status === undefined)
    return lower.some((code) => REFUSED_CODE.test(code)) ? "provider_bad_request" : "provider_server";
  return codeOfStatus(status);
}

/** OpenAI says: "maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens". */
function tokensIn(message: string): { readonly limitTokens?: number; readonly askedTokens?: number } {
  const limit = /context length is (\d{1,15})\b/i.exec(message)?.[1];
  const asked = /(?:resulted in|requested) (?:about )?(\d{1,15}) tokens/i.exec(message)?.[1];
  return {
    ...(limit === undefined ? {} : { limitTokens: Number(limit) }),
    ...(asked === undefined ? {} : { askedTokens: Number(asked) }),
  };
}
