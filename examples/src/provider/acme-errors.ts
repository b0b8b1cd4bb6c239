import { type ErrorCode, isJsonObject, messageOf, redactText, TinyAgentsError } from "@tinyagents/core";

/** The call that was refused. Without a response the error came inside a stream. */
export interface Refused {
  readonly model: string;
  readonly apiKey: string;
  readonly response?: Response;
}

const CODES: { readonly [code: string]: ErrorCode } = {
  bad_key: "provider_auth",
  no_credit: "provider_billing",
  slow_down: "provider_rate_limit",
  busy: "provider_overloaded",
  invalid: "provider_bad_request",
  too_long: "context_window_exceeded",
  unknown_model: "model_not_found",
};

/** The error that Acme's `{ error: { code, message } }` stands for. */
export function refusal(body: string, { model, apiKey, response }: Refused): TinyAgentsError {
  const { code: said, message } = errorIn(body);
  const wrongRequest = response !== undefined && response.status < 500;
  const code = CODES[said] ?? (wrongRequest ? "provider_bad_request" : "provider_server");
  const text = redactText(`Acme refused the request: ${message}`, [apiKey]);
  if (code === "model_not_found") return new TinyAgentsError(code, text, { details: { model, provider: "acme" } });
  const seconds = Number(response?.headers.get("retry-after") ?? Number.NaN);
  const hint = Number.isFinite(seconds) ? { retryAfterMs: seconds * 1_000 } : {};
  const status = response === undefined ? {} : { status: response.status };
  return new TinyAgentsError(code, text, { details: { provider: "acme", providerCode: said, ...status, ...hint } });
}

function errorIn(body: string): { readonly code: string; readonly message: string } {
  try {
    const { error }: { readonly error?: unknown } = JSON.parse(body);
    if (isJsonObject(error)) return { code: String(error.code), message: String(error.message) };
  } catch {}
  return { code: "", message: body.slice(0, 200) };
}

/** A failed connection. What had come of the answer is kept. */
export function networkError(error: unknown, apiKey: string, partialText: string): TinyAgentsError<"network"> {
  const text = redactText(`The connection to Acme failed: ${messageOf(error)}`, [apiKey]);
  return new TinyAgentsError("network", text, { details: { provider: "acme", partialText } });
}
