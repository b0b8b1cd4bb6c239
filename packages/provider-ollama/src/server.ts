import { type JsonObject, throwIfAborted } from "@tinyagents/core";
import { ask, type Call } from "./client.js";
import { connect } from "./connection.js";
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
  const connection = connect(signal);
  try {
    const answer = await ask(settings, connection.signal, call);
    connection.throwIfStopped();
    return answer;
  } catch (error) {
    connection.throwIfStopped();
    const { baseUrl, secrets } = settings;
    throw toError(error, { baseUrl, secrets, ...(model === undefined ? {} : { model }) });
  } finally {
    connection.release();
  }
}
