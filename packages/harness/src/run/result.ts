import {
  type AgentRun,
  type AssistantMessage,
  addTotals,
  type Message,
  type RunStatus,
  refusal,
  text,
} from "@tinyagents/core";
import { handOut, type LiveState } from "./live-state.js";

/** The last answer of the run itself; nothing when it has none. */
export function lastAnswer(messages: readonly Message[], newFrom: number): AssistantMessage | undefined {
  for (let i = messages.length - 1; i >= newFrom; i--) {
    const message = messages[i];
    if (message?.role === "assistant") return message;
  }
  return undefined;
}

/** How a run came out, or where it stands. */
export function statusOf(state: LiveState): RunStatus {
  if (state.phase === "failed") return "failed";
  if (state.phase === "paused") return "paused";
  if (state.stop !== null && state.stop.by !== "limit") return "stopped";
  const finishReason = state.lastResponse?.finishReason;
  const answer = lastAnswer(state.messages, state.newFrom);
  if (finishReason === "refusal" || (answer !== undefined && refusal(answer) !== undefined)) return "refused";
  const whole = finishReason === "stop" || finishReason === "tool_calls" || finishReason === undefined;
  return whole ? "completed" : "incomplete";
}

/** The result that a state amounts to. `live`: the structured answer as its schema gave it. */
export function runResult<Output>(state: LiveState, live?: { readonly value: unknown }): AgentRun<Output> {
  const { config, messages, newFrom, counters, usage, childUsage, output, stop, error, lastResponse } = state;
  const answer = lastAnswer(messages, newFrom);
  return {
    status: statusOf(state),
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
