import { type AnyTinyAgentsError, type ErrorCode, isTinyAgentsError, retryableByDefault } from "../errors.js";
import { type ChatModel, type NamedModel, resolvedModel } from "./chat-model.js";
import type { ModelDelta } from "./delta.js";
import { type FailedModel, lackingCapabilities, lackingMedia, type ResolvedModel } from "./profile.js";
import type { ModelRequest } from "./request.js";

/** When to turn to the next model, as data. */
export interface FallbackPolicy {
  /**
   * The codes that do. Default: failures that can pass and may be this provider's alone, after its retries, see
   * {@link retryableByDefault}: `network`, `timeout`, `provider_rate_limit`, `provider_overloaded`, `provider_server`. Wrong keys, used-up quotas, wrong requests and
   * control outcomes are not among them; of these, control outcomes cannot be.
   */
  readonly codes?: readonly ErrorCode[];
}

const NEVER: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "cancelled",
  "limit_exceeded",
  "recursion_limit",
  "no_progress",
]);

/** Whether a failure is one to turn to another model for. What `retry_exhausted` counts as is its last failure. */
export function mayFallBack(policy: FallbackPolicy, error: unknown): error is AnyTinyAgentsError {
  if (!isTinyAgentsError(error) || NEVER.has(error.code)) return false;
  const code = lastCode(error);
  return policy.codes?.includes(code) ?? retryableByDefault(code);
}

function lastCode(error: AnyTinyAgentsError): ErrorCode {
  return isTinyAgentsError(error, "retry_exhausted") ? error.details.lastCode : error.code;
}

/** Whether a model is not retired, and lacks nothing that a request needs, media in its messages included. */
export function canTake({ profile }: ChatModel, request: ModelRequest): boolean {
  if (profile.lifecycle === "retired") return false;
  return lackingCapabilities(profile, request).length === 0 && lackingMedia(profile, request.messages).length === 0;
}

/** The identity of a model that is asked because others failed: those of the call so far, in order. */
export function fallbackModel({ model, name }: NamedModel, failed: readonly FailedModel[]): ResolvedModel {
  return { ...resolvedModel(model), ...(name === undefined ? {} : { name }), chosenBy: "fallback", failed };
}

function failedModel({ model, name }: NamedModel, error: AnyTinyAgentsError): FailedModel {
  return { id: model.id, ...(name === undefined ? {} : { name }), code: lastCode(error) };
}

/** A step from one model to the next. */
export interface Fallback {
  readonly failed: NamedModel;
  readonly next: NamedModel;
  /** The identity of `next`, with all that failed before it. */
  readonly selected: ResolvedModel;
  readonly error: AnyTinyAgentsError;
}

/**
 * Asks one model after the other until one answers. Readers drop what they saw at `restart`, which names the model
 * that is asked next. Models that cannot take the request are passed over.
 * @throws TypeError for an empty list; from the iterator the failure of the last model that was asked.
 */
export function fallbackStream(
  policy: FallbackPolicy,
  models: readonly NamedModel[],
  request: ModelRequest,
  ask: (model: ChatModel) => AsyncIterable<ModelDelta>,
  onFallback?: (fallback: Fallback) => void,
): AsyncGenerator<ModelDelta, void, undefined> {
  if (models.length === 0) throw new TypeError("fallbackStream: models: at least one model is expected");
  return askInTurn(policy, models, request, ask, onFallback);
}

async function* askInTurn(
  policy: FallbackPolicy,
  models: readonly NamedModel[],
  request: ModelRequest,
  ask: (model: ChatModel) => AsyncIterable<ModelDelta>,
  onFallback: ((fallback: Fallback) => void) | undefined,
): AsyncGenerator<ModelDelta, void, undefined> {
  let attempt = 1;
  let place = 0;
  let failed: readonly FailedModel[] = [];
  for (;;) {
    const asked = models[place] as NamedModel;
    try {
      // Attempts are numbered over all models, so a model's own retries are numbered again.
      // They may be anything still: whoever adds them up looks at them.
      for await (const delta of ask(asked.model))
        yield delta?.type === "restart" ? { ...delta, attempt: ++attempt } : delta;
      return;
    } catch (error) {
      if (!mayFallBack(policy, error)) throw error;
      // Asked only now: a call that succeeds pays nothing for the models that were not needed.
      place = models.findIndex((other, at) => at > place && canTake(other.model, request));
      const next = models[place];
      if (next === undefined) throw error;
      failed = [...failed, failedModel(asked, error)];
      const selected = fallbackModel(next, failed);
      onFallback?.({ failed: asked, next, selected, error });
      yield { type: "restart", attempt: ++attempt, reason: error.code, model: selected };
    }
  }
}
