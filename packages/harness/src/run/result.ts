import { type AgentRun, addTotals, lastAnswer, outcomeOf, text } from "@tinyagents/core";
import { handOut, type LiveState } from "./live-state.js";

/** The result that a state amounts to. `live`: the structured answer as its schema gave it. */
export function runResult<Output>(state: LiveState, live?: { readonly value: unknown }): AgentRun<Output> {
  const { config, messages, newFrom, counters, usage, childUsage, output, stop, error, lastResponse } = state;
  const answer = lastAnswer(messages, newFrom);
  return {
    status: outcomeOf(state),
    runId: config.runId,
    config,
    text: answer === undefined ? "" : text(answer),
    output: (live === undefined ? output?.value : live.value) as Output,
    messages,
    newMessages: messages.slice(newFrom),
    usage,
    treeUsage: addTotals(usage, childUsage),
    usageByModel: state.usageByModel,
    counters,
    elapsedMs: state.elapsedMs,
    requests: state.requests,
    state: handOut(state),
    ...(output?.variant === undefined ? {} : { outputVariant: output.variant }),
    ...(state.cost === null ? {} : { cost: state.cost }),
    ...(lastResponse === null ? {} : { finishReason: lastResponse.finishReason }),
    ...(stop === null ? {} : { stop }),
    ...(error === null ? {} : { error }),
  };
}
