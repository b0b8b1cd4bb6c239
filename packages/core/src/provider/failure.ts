import { systemClock } from "../clock.js";
import { type ErrorDetails, isTinyAgentsError, messageOf, readThrown, TinyAgentsError } from "../errors.js";
import { codeOfStatus, type StatusCode, systemCodeOf } from "../model/failure-code.js";
import { retryAfterMs } from "../model/retry-hint.js";
import { redactText } from "../redact.js";
import { redactError } from "../redact-error.js";
import { saidFields } from "../said-fields.js";

/** The codes that a failure has of which a provider tells. */
export type ProviderCode = StatusCode | "context_window_exceeded" | "model_not_found" | "provider_content_filter";

/** The call that failed. */
export interface FailedCall {
  readonly provider: string;
  /** Its name on the wire, where the call is about one. */
  readonly model?: string | undefined;
  /** Texts that must not appear in an error. */
  readonly secrets: readonly string[];
  /** The visible text that had come. */
  readonly partialText?: string | undefined;
}

/** What a provider told of a failure, in its own words: secrets are taken out of them. */
export interface ToldFailure {
  /** Where its words say more than its status. Default: what the status says; without one `provider_server`. */
  readonly code?: ProviderCode | undefined;
  readonly message: string;
  /** Of HTTP; absent for a failure within an answer. */
  readonly status?: number | undefined;
  /** Of the answer: they may name the request, say how long to wait, and whether to try again. */
  readonly headers?: Headers | undefined;
  /** The provider's own code for it. */
  readonly providerCode?: string | undefined;
  /** Where the headers do not name the request. */
  readonly requestId?: string | undefined;
  /** Where it is said elsewhere than in `retry-after`, ms. */
  readonly retryAfterMs?: number | undefined;
  /** Where the words say whether a repeat could help. Default: as the headers say, or else the code. */
  readonly retryable?: boolean | undefined;
  /** The model that nobody knows, where it is named. */
  readonly model?: string | undefined;
  /** How long a context may be, and would have been. */
  readonly limitTokens?: number | undefined;
  readonly askedTokens?: number | undefined;
}

/** Nothing was wrong with the request. */
const SERVER_FAILED: ReadonlySet<ProviderCode> = new Set(["network", "provider_overloaded", "provider_server"]);

/** The typed error for a failure that a provider told of. `cause`: the SDK's error, if there is one; its secrets are taken out. */
export function providerError(told: ToldFailure, call: FailedCall, cause?: unknown): TinyAgentsError<ProviderCode> {
  const { status, message } = told;
  const code = told.code ?? (status === undefined ? "provider_server" : codeOfStatus(status));
  const happened = SERVER_FAILED.has(code) ? "failed" : "refused the request";
  const text = `${call.provider} ${happened}${status === undefined ? "" : ` (${status})`}: ${message}`;
  return new TinyAgentsError(code, redactText(text, call.secrets), {
    details: detailsOf(code, told, call),
    cause: redactError(cause, call.secrets),
    retryable: told.retryable ?? saidToRepeat(told.headers),
  });
}

function saidToRepeat(headers: Headers | undefined): boolean | undefined {
  const said = headers?.get("x-should-retry");
  return said === "true" || (said === "false" ? false : undefined);
}

/** The codes after which it is worth knowing how long to wait. */
const PASSING: ReadonlySet<ProviderCode> = new Set(["provider_rate_limit", "provider_overloaded", "provider_server"]);

function detailsOf(code: ProviderCode, told: ToldFailure, call: FailedCall): ErrorDetails[ProviderCode] {
  const { provider, model = "", secrets } = call;
  if (code === "network") return { provider, reason: "request_timeout" };
  if (code === "model_not_found") return { model: told.model ?? model, provider };
  const { status, headers, providerCode = "", limitTokens, askedTokens } = told;
  const requestId = told.requestId || headers?.get("x-request-id") || headers?.get("request-id") || "";
  const waitMs = PASSING.has(code) ? (told.retryAfterMs ?? retryAfterMs(headers, () => systemClock.now())) : undefined;
  return {
    provider,
    ...saidFields({
      status,
      providerCode: redactText(providerCode, secrets),
      requestId: redactText(requestId, secrets),
      retryAfterMs: waitMs,
      limitTokens,
      askedTokens,
    }),
  };
}

/**
 * The typed error for what was thrown on the way to a provider or back: `network`, or `provider_server` for an answer
 * that cannot be read. One of ours stays what it is, also as the cause of an SDK's error.
 */
export function transportError(error: unknown, call: FailedCall): TinyAgentsError {
  const ours = isTinyAgentsError(error) ? error : error instanceof Error ? error.cause : undefined;
  if (isTinyAgentsError(ours)) return ours;
  const { provider, secrets, partialText = "" } = call;
  // No JSON, or nested so deeply that the engine gave up. Without the parser's error: it quotes the text in pieces, and a
  // piece of a secret cannot be found in it.
  if (error instanceof SyntaxError || error instanceof RangeError) return malformedAnswer(provider, "cannot be read");
  const cause = redactError(error, secrets);
  const timedOut = /timed? ?out/i.test(messageOf(error));
  const reason = timedOut ? "connection_timeout" : (systemCodeOf(cause) ?? "connection_failed");
  return new TinyAgentsError("network", `The connection to ${provider} failed: ${words(cause)}`, {
    details: { provider, reason, ...saidFields({ partialText }) },
    cause,
  });
}

/** An answer that is not what was asked for. `fault`: what it does or is, as `is no message`. */
export function malformedAnswer(provider: string, fault: string): TinyAgentsError<"provider_server"> {
  return new TinyAgentsError("provider_server", `${provider} sent something that ${fault}.`, {
    details: { provider, providerCode: "malformed_response" },
  });
}

/** How deep causes are followed. */
const DEEPEST = 5;

/** What an error and its causes say: `fetch failed` alone helps nobody. */
function words(error: Error | undefined): string {
  const said = new Set<string>();
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < DEEPEST; at = at.cause, depth++) {
    said.add(readThrown(at).message);
  }
  return [...said].filter((text) => text !== "").join(": ") || "nobody said why";
}
