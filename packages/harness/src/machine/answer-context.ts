import { type ContextEstimate, contextOf, type ModelResponse } from "@tinyagents/core";
import type { ModelCall } from "./model-call.js";

/**
 * How full the context of a call was: the tokens of input that its answer told, against the window of the model that gave
 * it. Nothing is counted for this. Nothing when they were not told.
 */
export function contextOfAnswer(call: ModelCall, { message, model }: ModelResponse): ContextEstimate | undefined {
  const inputTokens = message.usage?.inputTokens;
  if (inputTokens === undefined) return undefined;
  const { chain } = call.chosen;
  const answered = chain.find((one) => one.model.id === model.id) ?? chain[0];
  return answered && contextOf(inputTokens, answered.model.profile, call.maxOutputTokens);
}
