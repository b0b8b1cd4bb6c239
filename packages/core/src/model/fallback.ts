import { type AnyTinyAgentsError, type ErrorCode, isTinyAgentsError } from "../errors.js";
import { type ChatModel, resolvedModel } from "./chat-model.js";
import type { ModelDelta } from "./delta.js";
import { missingCapabilities, support } from "./profile.js";
import type { ModelRequest } from "./request.js";

/** When to turn to the next model, as data. */
export interface FallbackPolicy {
  /**
   * The codes that do. Default: failures that may be this provider's alone, after its retries: `network`, `timeout`,
   * `provider_rate_limit`, `provider_overloaded`, `provider_server`. Wrong keys, used-up quotas, wrong requests and
   * control outcomes are not among them; of these, control outcomes cannot be.
   */
  readonly codes?: readonly ErrorCode[];
}

const ELIGIBLE: readonly ErrorCode[] = [
  "network",
  "timeout",
  "provider_rate_limit",
  "provider_overloaded",
  "provider_server",
];

const NEVER: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "cancelled",
  "limit_exceeded",
  "recursion_limit",
  "no_progress",
]);

/** Whether a failure is one to turn to another model for. What `retry_exhausted` counts as is its last failure. */
export function mayFallBack(policy: FallbackPolicy, error: unknown): error is AnyTinyAgentsError {
  if (!isTinyAgentsError(error) || NEVER.has(error.code)) return false;
  const code = isTinyAgentsError(error, "retry_exhausted") ? error.details.lastCode : error.code;
  return (policy.codes ?? ELIGIBLE).includes(code as ErrorCode);
}

/** Whether a model can take a request: what it requires needs a "yes"; what it only implies must not be a "no". */
export function canTake({ profile }: ChatModel, { requires = [], tools = [], responseFormat }: ModelRequest): boolean {
  if (missingCapabilities(profile, requires).length > 0) return false;
  if (tools.length > 0 && support(profile, "tools") === "no") return false;
  return responseFormat?.type !== "json_schema" || support(profile, "structured_output") !== "no";
}

/** A step from one model to the next. */
export interface Fallback {
  readonly failed: ChatModel;
  readonly next: ChatModel;
  readonly error: AnyTinyAgentsError;
}

/**
 * Asks one model after the other until one answers. Readers drop what they saw at `restart`, which names the model
 * that is asked next. Models that cannot take the request are passed over.
 * @throws TypeError for an empty list; from the iterator the failure of the last model that was asked.
 */
export function fallbackStream(
  policy: FallbackPolicy,
  models: readonly ChatModel[],
  request: ModelRequest,
  ask: (model: ChatModel) => AsyncIterable<ModelDelta>,
  onFallback?: (fallback: Fallback) => void,
): AsyncGenerator<ModelDelta, void, undefined> {
  if (models.length === 0) throw new TypeError("fallbackStream: models: at least one model is expected");
  return askInTurn(
    policy,
    models.filter((model, place) => place === 0 || canTake(model, request)),
    ask,
    onFallback,
  );
}

async function* askInTurn(
  policy: FallbackPolicy,
  models: readonly ChatModel[],
  ask: (model: ChatModel) => AsyncIterable<ModelDelta>,
  onFallback: ((fallback: Fallback) => void) | undefined,
): AsyncGenerator<ModelDelta, void, undefined> {
  let attempt = 1;
  for (let place = 0; ; place++) {
    const model = models[place] as ChatModel;
    try {
      // Attempts are numbered over all models, so a model's own retries are numbered again.
      for await (const delta of ask(model)) yield delta.type === "restart" ? { ...delta, attempt: ++attempt } : delta;
      return;
    } catch (error) {
      const next = models[place + 1];
      if (next === undefined || !mayFallBack(policy, error)) throw error;
      onFallback?.({ failed: model, next, error });
      yield { type: "restart", attempt: ++attempt, reason: error.code, model: resolvedModel(next) };
    }
  }
}
