import { codeOfStatus, type ProviderCode } from "@tinyagents/core";

/** What an answer with an error says. In a stream there is no status: then codes alone tell. */
export interface Failure {
  readonly status: number | undefined;
  /** The most specific first. */
  readonly codes: readonly string[];
  readonly message: string;
}

/**
 * What the server's codes mean: first causes (`error_code`), then broad types. `api_error` and `timeout_error` say no more
 * than that the server failed: of those the status tells which failure it was.
 */
const BY_CODE: readonly (readonly [RegExp, ProviderCode])[] = [
  [/spend_limit|billing|billable/, "provider_billing"],
  [/^(ramp_limit_exceeded|rate_limit_error)$/, "provider_rate_limit"],
  [/^(overloaded_error|compaction_unavailable)$/, "provider_overloaded"],
  [/^(authentication_error|permission_error)$/, "provider_auth"],
  [/^context_window_exceeded$/, "context_window_exceeded"],
  [/^request_timeout$/, "network"],
];
const REFUSED_CODE = /^(invalid_request_error|not_found_error|conflict_error|request_too_large)$/;

/** The server has no codes of their own for these: its words tell. */
const CONTEXT_MESSAGE = /prompt is too long|exceeds? (the )?context (limit|window)|context (limit|window)[^.]*exceed/i;
const BILLING_MESSAGE =
  /credit balance is too low|(usage|spend(ing)?) limits?[^.]*(reached|exceeded)|reached your[^.]*usage limits/i;
/** `model: claude-none`, where other things that are not there are named in other words. */
const MODEL_MESSAGE = /^model: ?(\S+)/;
const FILTER_MESSAGE = /blocked by (our )?content filter/i;

/** What a failure means to whoever decides about a repeat. */
export function classify({ status, codes, message }: Failure): ProviderCode {
  const mayBeWords = status === undefined || (status >= 400 && status < 500);
  if (mayBeWords && BILLING_MESSAGE.test(message)) return "provider_billing";
  if (mayBeWords && CONTEXT_MESSAGE.test(message)) return "context_window_exceeded";
  if (mayBeWords && FILTER_MESSAGE.test(message)) return "provider_content_filter";
  if ((status === undefined || status === 404) && unknownModel({ codes, message }) !== undefined)
    return "model_not_found";
  for (const code of codes) {
    const known = BY_CODE.find(([pattern]) => pattern.test(code));
    if (known !== undefined) return known[1];
  }
  if (status !== undefined) return codeOfStatus(status);
  return codes.some((code) => REFUSED_CODE.test(code)) ? "provider_bad_request" : "provider_server";
}

/** The name that nobody knows, where that is what was not found. */
export function unknownModel({ codes, message }: Pick<Failure, "codes" | "message">): string | undefined {
  return codes.includes("not_found_error") ? MODEL_MESSAGE.exec(message)?.[1] : undefined;
}

/**
 * The server says "prompt is too long: 210000 tokens > 200000 maximum", or "input length and `max_tokens` exceed context
 * limit: 190000 + 20000 > 200000".
 */
export function tokensIn(message: string): { readonly limitTokens?: number; readonly askedTokens?: number } {
  const prompt = /(\d+) tokens > (\d+)/.exec(message);
  if (prompt !== null) return { askedTokens: Number(prompt[1]), limitTokens: Number(prompt[2]) };
  const both = /(\d+) \+ (\d+) > (\d+)/.exec(message);
  if (both !== null) return { askedTokens: Number(both[1]) + Number(both[2]), limitTokens: Number(both[3]) };
  return {};
}
