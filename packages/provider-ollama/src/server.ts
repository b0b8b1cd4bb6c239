import { type JsonObject, linkedSignal, throwIfAborted } from "@tinyagents/core";
import { ask, type Call } from "./client.js";
import type { ServerSettings } from "./options.js";
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
export async function askServer(settings: ServerSettings, { model, signal, call }: Question): Promise<JsonObject> {
  throwIfAborted(signal);
  const linked = linkedSignal(signal);
  try {
    const answer = await ask(settings, linked.signal, call);
    linked.throwIfAborted();
    return answer;
  } catch (error) {
    linked.throwIfAborted();
    const { baseUrl, secrets } = settings;
    throw toError(error, { baseUrl, secrets, ...(model === undefined ? {} : { model }) });
  } finally {
    linked.release();
  }
}
