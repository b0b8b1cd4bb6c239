import {
  codeOfStatus,
  type FailedCall,
  type ProviderCode,
  providerError,
  redactError,
  systemCodeOf,
  TinyAgentsError,
  transportError,
} from "@tinyagents/core";
import { PROVIDER, WRONG_PLACE } from "./profile.js";
import { ServerFailure } from "./server-failure.js";

/** The call that failed, and where the server was looked for. */
export interface FailedQuestion extends FailedCall {
  readonly baseUrl: string;
}

/** The typed error for whatever was thrown. Secrets are taken out of its `cause`. */
export function toError(error: unknown, call: FailedQuestion): TinyAgentsError {
  if (error instanceof ServerFailure) return serverError(error, call);
  return nobodyThere(error, call) ?? transportError(error, call);
}

/** Codes of systems for a server that is not there. */
const NOBODY_THERE: ReadonlySet<string> = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH"]);

function nobodyThere(error: unknown, { baseUrl, secrets }: FailedQuestion): TinyAgentsError<"network"> | undefined {
  const reason = systemCodeOf(error);
  if (reason === undefined || !NOBODY_THERE.has(reason)) return undefined;
  const message = `No Ollama server answers at ${baseUrl} (${reason}). Start it with: ollama serve. Or set baseUrl.`;
  return new TinyAgentsError("network", message, {
    details: { provider: PROVIDER, reason },
    cause: redactError(error, secrets),
  });
}

/** @see https://docs.ollama.com/api/errors */
function serverError(failure: ServerFailure, call: FailedQuestion): TinyAgentsError {
  const { status, code: providerCode, message, headers, tokens } = failure;
  const { model = "" } = call;
  const code = classify(failure);
  if (code === "model_not_found") {
    const advice = `Ollama has no model "${model}". Get it with: ollama pull ${model}`;
    return new TinyAgentsError(code, advice, { details: { model, provider: PROVIDER }, cause: failure });
  }
  if (code === "capability_missing") {
    const details = { model: `${PROVIDER}/${model}`, capabilities: [capabilityIn(message)] };
    return new TinyAgentsError(code, `${PROVIDER} refused the request: ${message}`, { details, cause: failure });
  }
  const lost = code === "provider_bad_request" && (status === 404 || status === 405);
  const told = {
    code,
    status,
    providerCode,
    message: lost ? `${message} Is baseUrl right? ${WRONG_PLACE}` : message,
    headers,
    retryable: NO_MEMORY.test(message) ? false : undefined,
    ...(code === "context_window_exceeded" ? tokens : {}),
  };
  return providerError(told, call, failure);
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
function classify({ status, code, message }: ServerFailure): ProviderCode | "capability_missing" {
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
