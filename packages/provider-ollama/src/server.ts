import { type JsonObject, providerAnswer } from "@tinyagents/core";
import { ask, type Call } from "./client.js";
import type { ServerSettings } from "./options.js";
import { PROVIDER } from "./profile.js";
import { toError } from "./to-error.js";

/** A question to a server that is answered in one piece. */
export interface Question {
  /** The model that it is about, for errors. */
  readonly model?: string;
  readonly signal: AbortSignal | undefined;
  readonly call: Call;
}

/**
 * Asks a server once.
 * @throws typed errors: `network`, `provider_*`, `model_not_found`, `cancelled`.
 */
export function askServer(settings: ServerSettings, { model, signal, call }: Question): Promise<JsonObject> {
  const { baseUrl, secrets } = settings;
  return providerAnswer({
    provider: PROVIDER,
    model,
    secrets,
    signal,
    failed: (error, failed) => toError(error, { ...failed, baseUrl }),
    ask: (linked) => ask(settings, linked, call),
  });
}
