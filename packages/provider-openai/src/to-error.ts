import {
  codeOfStatus,
  isJsonObject,
  isTinyAgentsError,
  type JsonObject,
  messageOf,
  type ProviderFailure,
  redactError,
  redactText,
  retryAfterMs,
  systemClock,
  systemCodeOf,
  TinyAgentsError,
} from "@tinyagents/core";
import { APIConnectionError, APIConnectionTimeoutError, APIError } from "openai";

/** What an error needs to know of the call that failed. */
export interface FailureContext {
  readonly provider: string;
  /** Its name on the wire. */
  readonly model: string;
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

/** What an answer with an error says. In a stream there is no status: then codes alone tell. */
interface Failure {
  readonly status: number | undefined;
  readonly codes: readonly string[];
  readonly message: string;
  readonly headers: Headers | undefined;
}

function providerError(error: APIError, cause: unknown, context: FailureContext): TinyAgentsError {
  const failure = readFailure(error, context.secrets);
  const { status, codes, message, headers } = failure;
  const [providerCode] = codes;
  const requestId = error.requestID;
  const details: ProviderFailure = {
    provider: context.provider,
    ...(status === undefined ? {} : { status }),
    ...(providerCode === undefined ? {} : { providerCode }),
    ...(requestId ? { requestId: redactText(requestId, context.secrets) } : {}),
  };
  const said = headers?.get("x-should-retry");
  const retryable = said === "true" ? true : said === "false" ? false : undefined;
  const code = classify(failure);
  const happened = SERVER_FAILED.has(code) ? "failed" : "refused the request";
  const text = `${context.provider} ${happened}${status === undefined ? "" : ` (${status})`}: ${message}`;
  switch (code) {
    case "network":
      return new TinyAgentsError(code, text, {
        details: { provider: context.provider, reason: "request_timeout" },
        cause,
      });
    case "model_not_found":
      return new TinyAgentsError(code, text, { details: { model: context.model, provider: context.provider }, cause });
    case "context_window_exceeded":
      return new TinyAgentsError(code, text, { details: { ...details, ...tokensIn(message) }, cause });
    case "provider_rate_limit":
    case "provider_overloaded":
    case "provider_server": {
      const waitMs = retryAfterMs(headers, () => systemClock.now());
      const hinted = waitMs === undefined ? details : { ...details, retryAfterMs: waitMs };
      return new TinyAgentsError(code, text, { details: hinted, cause, retryable });
    }
    default:
      return new TinyAgentsError(code, text, { details, cause, retryable });
  }
}

function readFailure(error: APIError, secrets: readonly string[]): Failure {
  const body: JsonObject = isJsonObject(error.error) ? error.error : {};
  const codes = [body.code, body.type, body.status].filter(
    (code) => typeof code === "string" && code !== "",
  ) as string[];
  const numeric = typeof body.code === "number" && body.code >= 400 ? body.code : undefined;
  const message = typeof body.message === "string" ? body.message : error.message;
  return {
    status: error.status ?? numeric,
    codes: codes.map((code) => redactText(code, secrets)),
    message: redactText(message, secrets),
    headers: error.headers,
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

type FailureCode = (typeof BY_CODE)[number][0] | "provider_server" | "provider_bad_request" | "network";

function classify({ status, codes, message }: Failure): FailureCode {
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

/** Nothing was wrong with the request. */
const SERVER_FAILED: ReadonlySet<FailureCode> = new Set(["network", "provider_overloaded", "provider_server"]);

/** OpenAI says: "maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens". */
function tokensIn(message: string): { readonly limitTokens?: number; readonly askedTokens?: number } {
  const limit = /context length is (\d{1,15})\b/i.exec(message)?.[1];
  const asked = /(?:resulted in|requested) (?:about )?(\d{1,15}) tokens/i.exec(message)?.[1];
  return {
    ...(limit === undefined ? {} : { limitTokens: Number(limit) }),
    ...(asked === undefined ? {} : { askedTokens: Number(asked) }),
  };
}
