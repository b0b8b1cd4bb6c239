import {
  codeOfStatus,
  isTinyAgentsError,
  type ProviderFailure,
  redactError,
  retryAfterMs,
  type StatusCode,
  systemClock,
  systemCodeOf,
  TinyAgentsError,
} from "@tinyagents/core";
import { PROVIDER } from "./profile.js";
import { ServerFailure } from "./server-failure.js";

/** What an error needs to know of the call that failed. */
export interface FailureContext {
  /** Absent where no model was named. */
  readonly model?: string;
  readonly baseUrl: string;
  readonly secrets: readonly string[];
  /** The visible text that had come. */
  readonly partialText?: string;
}

/** The typed error for whatever was thrown. Secrets are taken out of its `cause`. */
export function toError(error: unknown, context: FailureContext): TinyAgentsError {
  if (isTinyAgentsError(error)) return error;
  if (error instanceof ServerFailure) return serverError(error, context);
  // Nested so deeply that the engine gave up, or no JSON. The parser's error quotes the text, so it is left out.
  if (error instanceof SyntaxError || error instanceof RangeError) return malformed();
  return networkError(error, context);
}

function malformed(): TinyAgentsError<"provider_server"> {
  return new TinyAgentsError("provider_server", "Ollama sent something that cannot be read.", {
    details: { provider: PROVIDER, providerCode: "malformed_response" },
  });
}

/** Codes of systems for a server that is not there. */
const NOBODY_THERE: ReadonlySet<string> = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH"]);

function networkError(error: unknown, context: FailureContext): TinyAgentsError<"network"> {
  const { baseUrl, secrets, partialText = "" } = context;
  const cause = redactError(error, secrets);
  const reason = systemCodeOf(cause);
  const message = NOBODY_THERE.has(reason ?? "")
    ? `No Ollama server answers at ${baseUrl} (${reason}). Start it with: ollama serve. Or set baseUrl.`
    : `The connection to Ollama failed: ${words(cause)}`;
  return new TinyAgentsError("network", message, {
    details: {
      provider: PROVIDER,
      reason: reason ?? "connection_failed",
      ...(partialText === "" ? {} : { partialText }),
    },
    cause,
  });
}

/** What an error and its causes say: `fetch failed` alone helps nobody. */
function words(error: Error | undefined): string {
  const said = new Set<string>();
  for (let at: unknown = error; at instanceof Error; at = at.cause) said.add(at.message);
  return [...said].filter((text) => text !== "").join(": ") || "nobody said why";
}

/** @see https://docs.ollama.com/api/errors */
function serverError(failure: ServerFailure, context: FailureContext): TinyAgentsError {
  const { status, code: providerCode, message } = failure;
  const details: ProviderFailure = {
    provider: PROVIDER,
    ...(status === undefined ? {} : { status }),
    ...(providerCode === undefined ? {} : { providerCode }),
  };
  const code = classify(failure);
  const { model = "" } = context;
  const happened = SERVER_FAILED.has(code) ? "failed" : "refused the request";
  const text = `Ollama ${happened}${status === undefined ? "" : ` (${status})`}: ${message}`;
  switch (code) {
    case "model_not_found": {
      const advice = `Ollama has no model "${model}". Get it with: ollama pull ${model}`;
      return new TinyAgentsError(code, advice, { details: { model, provider: PROVIDER }, cause: failure });
    }
    case "capability_missing": {
      const capabilities = [capabilityIn(message)];
      return new TinyAgentsError(code, text, {
        details: { model: `${PROVIDER}/${model}`, capabilities },
        cause: failure,
      });
    }
    case "context_window_exceeded":
      return new TinyAgentsError(code, text, { details: { ...details, ...failure.tokens }, cause: failure });
    case "network":
      return new TinyAgentsError(code, text, {
        details: { provider: PROVIDER, reason: "request_timeout" },
        cause: failure,
      });
    case "provider_rate_limit":
    case "provider_overloaded":
    case "provider_server": {
      const waitMs = retryAfterMs(failure.headers, () => systemClock.now());
      const hinted = waitMs === undefined ? details : { ...details, retryAfterMs: waitMs };
      const retryable = NO_MEMORY.test(message) ? false : undefined;
      return new TinyAgentsError(code, text, { details: hinted, cause: failure, retryable });
    }
    case "provider_bad_request":
      return new TinyAgentsError(code, status === 404 || status === 405 ? `${text} ${WRONG_PLACE}` : text, {
        details,
        cause: failure,
      });
    default:
      return new TinyAgentsError(code, text, { details, cause: failure });
  }
}

/** What Ollama says in words alone. The first line that fits wins. */
const BY_MESSAGE = [
  ["model_not_found", /\bmodel\b.{0,200}\bnot found\b/i],
  [
    "capability_missing",
    /does not support (tools|thinking|vision|images?|chat|generate|completion|insert|embeddings?)\b/i,
  ],
  [
    "context_window_exceeded",
    /exceed(s|ed)? (the |available |max |maximum |model'?s )*context|exceed_context_size_error/i,
  ],
  ["provider_billing", /usage limit/i],
  ["provider_overloaded", /server busy|maximum pending requests/i],
] as const;

const NO_MEMORY = /requires? more (system )?memory|out of memory/i;
const WRONG_PLACE = "Is baseUrl right? It ends before /api.";

type FailureCode = (typeof BY_MESSAGE)[number][0] | StatusCode;

/** Nothing was wrong with the request. */
const SERVER_FAILED: ReadonlySet<FailureCode> = new Set(["network", "provider_overloaded", "provider_server"]);

function classify({ status, code, message }: ServerFailure): FailureCode {
  const said = `${message} ${code ?? ""}`;
  const known = BY_MESSAGE.find(([, pattern]) => pattern.test(said));
  if (known !== undefined) return known[0];
  return status === undefined ? "provider_server" : codeOfStatus(status);
}

/** Ollama's words for what a model may lack, in ours. */
const CAPABILITIES: ReadonlyMap<string, string> = new Map([
  ["tools", "tools"],
  ["thinking", "reasoning"],
  ["vision", "image_input"],
  ["image", "image_input"],
  ["images", "image_input"],
]);

function capabilityIn(message: string): string {
  const word = /does not support (\w+)/i.exec(message)?.[1]?.toLowerCase() ?? "";
  return CAPABILITIES.get(word) ?? word;
}
