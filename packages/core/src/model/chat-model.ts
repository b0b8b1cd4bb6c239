import type { ModelDelta } from "./delta.js";
import type { ModelProfile, ResolvedModel } from "./profile.js";
import type { PayloadWatcher } from "./raw-payload.js";
import type { ModelRequest } from "./request.js";

/** What a model is told of the call besides the request. */
export interface ModelCallContext {
  /** Aborts when the answer is no longer wanted. Read it where it is used: it is made when first read. */
  readonly signal: AbortSignal | undefined;
  /** `whole`: nobody watches, so whole blocks from a provider's unary endpoint will do. Both add up to the same. */
  readonly delivery: "incremental" | "whole";
  readonly runId?: string | undefined;
  /** Names this call in events. */
  readonly callId?: string | undefined;
  /** Takes what goes over the wire, where somebody asked for it. Adapters use `tellPayload`. */
  readonly onPayload?: PayloadWatcher | undefined;
}

/** A model of one provider. */
export interface ChatModel {
  /** `provider/model`, as `openai/gpt-5`. */
  readonly id: string;
  readonly profile: ModelProfile;
  /** It repeats failed calls itself: whoever calls it makes one attempt, so that attempts are not multiplied. */
  readonly ownsRetry?: true;
  /**
   * Asks the model. Work starts with the first `next()`; leaving the loop, or aborting the signal, closes the
   * connection. Ends with a `finish` delta. Makes one attempt, unless it `ownsRetry`: repeating is the caller's policy.
   * So is time: `timeoutMs` of the request is for the caller, who aborts the signal.
   *
   * @throws (from the iterator) typed errors: `provider_*`, `network`, `timeout`, `cancelled`,
   * `context_window_exceeded`, `invalid_request`, `capability_missing`.
   */
  stream(request: ModelRequest, call: ModelCallContext): AsyncIterable<ModelDelta>;
}

/** A model, and its name in a registry where it has one. */
export interface NamedModel {
  readonly model: ChatModel;
  readonly name?: string | undefined;
}

/** Whether something that an application calls a model is one. */
export function isModel(value: unknown): value is ChatModel {
  const model = value as Partial<ChatModel> | undefined | null;
  return typeof model?.stream === "function" && typeof model.id === "string" && typeof model.profile === "object";
}

/** The identity of a model as it stands in records; `model` where the provider named an exact version. */
export function resolvedModel(model: ChatModel, exact?: string): ResolvedModel {
  const { provider, model: name } = model.profile;
  return { id: model.id, provider, model: exact ?? name };
}
