import { refusal } from "../message/build.js";
import type { AssistantMessage, Message } from "../message/message.js";
import type { RunStatus } from "./run.js";
import type { AgentState } from "./state.js";

/** The last answer of the run itself; nothing when it has none. */
export function lastAnswer(messages: readonly Message[], newFrom: number): AssistantMessage | undefined {
  for (let i = messages.length - 1; i >= newFrom; i--) {
    const message = messages[i];
    if (message?.role === "assistant") return message;
  }
  return undefined;
}

/** How a run that has stopped came out, or where it stands. */
export function outcomeOf(state: AgentState): RunStatus {
  if (state.phase === "failed") return "failed";
  if (state.phase === "paused") return "paused";
  if (state.stop !== null && state.stop.by !== "limit") return "stopped";
  const finishReason = state.lastResponse?.finishReason;
  const answer = lastAnswer(state.messages, state.newFrom);
  if (finishReason === "refusal" || (answer !== undefined && refusal(answer) !== undefined)) return "refused";
  const whole = finishReason === "stop" || finishReason === "tool_calls" || finishReason === undefined;
  return whole ? "completed" : "incomplete";
}
