import {
  type FailedCall,
  isJsonObject,
  type ProviderCode,
  providerError,
  type TinyAgentsError,
  textOf,
} from "@tinyagents/core";

/** How to reach Acme. */
export interface AcmeOptions {
  readonly apiKey: string;
  readonly baseUrl?: string;
}

/** One request to Acme: where to, as whom, and what. */
export interface AcmeRequest extends AcmeOptions {
  readonly path: "/chat" | "/embed";
  readonly body: object;
  readonly signal: AbortSignal;
}

/** Sends one request. @throws the typed error of a refusal. */
export async function post(request: AcmeRequest, call: FailedCall): Promise<Response> {
  const { path, body, signal, apiKey, baseUrl = "https://api.acme.example" } = request;
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  const answer = await fetch(baseUrl + path, { method: "POST", headers, body: JSON.stringify(body), signal });
  if (answer.ok) return answer;
  throw refusal(await answer.json().catch(() => undefined), call, answer);
}

/** What statuses do not say. */
const CODES: { readonly [code: string]: ProviderCode } = {
  busy: "provider_overloaded",
  slow_down: "provider_rate_limit",
  too_long: "context_window_exceeded",
  unknown_model: "model_not_found",
};

/** The error that Acme's `{ error: { code, message } }` stands for. Without a status it came within an answer. */
export function refusal(said: unknown, call: FailedCall, answer?: Response): TinyAgentsError {
  const error = isJsonObject(said) && isJsonObject(said.error) ? said.error : {};
  const providerCode = textOf(error.code);
  const message = textOf(error.message) || "It did not say why.";
  const { status, headers } = answer ?? {};
  return providerError({ code: CODES[providerCode], providerCode, message, status, headers }, call);
}
