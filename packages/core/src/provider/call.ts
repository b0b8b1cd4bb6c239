import type { ChatModel, ModelCallContext } from "../model/chat-model.js";
import { cutShortError } from "../model/cut-short.js";
import type { ModelDelta } from "../model/delta.js";
import type { ModelProfile } from "../model/profile.js";
import type { ModelRequest } from "../model/request.js";
import { linkedSignal, throwIfAborted } from "../signal.js";
import { type FailedCall, transportError } from "./failure.js";

/** Makes the typed error of a call that failed. Not asked once the caller has cancelled. */
export type CallFailed = (error: unknown, call: FailedCall) => Error;

/** How the model of a provider is asked. */
export interface ProviderModelOptions {
  /** Texts that must not appear in an error: the key, what headers say. */
  readonly secrets: readonly string[];
  /** Default `transportError`. */
  readonly failed?: CallFailed | undefined;
  /** Asks once. The signal is of this call alone, since the caller's may live for many. */
  ask(request: ModelRequest, call: ModelCallContext & { readonly signal: AbortSignal }): AsyncIterable<ModelDelta>;
}

/**
 * For adapters: a model from how it is asked once. Nothing is asked before the first `next()`, and nothing told once the
 * caller has cancelled, however what is below takes that; whoever leaves the loop leaves `ask` too. An answer of `ask`
 * that ends without a `finish` was cut short (`network`).
 */
export function providerModel(profile: ModelProfile, options: ProviderModelOptions): ChatModel {
  const { provider, model } = profile;
  const { secrets, failed = transportError } = options;
  return {
    id: `${provider}/${model}`,
    profile,
    async *stream(request, { signal: callers, delivery, runId, callId, onPayload }) {
      throwIfAborted(callers);
      const linked = linkedSignal(callers);
      const call = { signal: linked.signal, delivery, runId, callId, onPayload };
      let partialText = "";
      let finished = false;
      try {
        for await (const delta of options.ask(request, call)) {
          linked.throwIfAborted();
          if (delta.type === "text") partialText += delta.text;
          else if (delta.type === "finish") finished = true;
          yield delta;
        }
        if (!finished) throw cutShortError(partialText, provider);
      } catch (error) {
        linked.throwIfAborted();
        throw failed(error, { provider, model, secrets, partialText });
      } finally {
        linked.release();
      }
    },
  };
}

/** A call that is answered in one piece. */
export interface ProviderQuestion<T> extends FailedCall {
  /** The caller's. */
  readonly signal: AbortSignal | undefined;
  /** Default `transportError`. */
  readonly failed?: CallFailed | undefined;
  /** Asks once. The signal is of this call alone. */
  ask(signal: AbortSignal): Promise<T>;
}

/**
 * For adapters: the answer to one question.
 * @throws what `failed` makes of failures; the signal's reason once it has aborted, however what is below takes that.
 */
export async function providerAnswer<T>(question: ProviderQuestion<T>): Promise<T> {
  const { signal, failed = transportError, ask: _, ...call } = question;
  throwIfAborted(signal);
  const linked = linkedSignal(signal);
  try {
    const answer = await question.ask(linked.signal);
    linked.throwIfAborted();
    return answer;
  } catch (error) {
    linked.throwIfAborted();
    throw failed(error, call);
  } finally {
    linked.release();
  }
}
