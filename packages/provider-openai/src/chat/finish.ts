import type { FinishReason } from "@tinyagents/core";

const REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ["stop", "stop"],
  ["length", "length"],
  ["tool_calls", "tool_calls"],
  ["function_call", "tool_calls"],
  ["content_filter", "content_filter"],
  ["error", "error"],
]);

/** Why the model stopped. A server says `stop` also of a refusal and of a call that it was made to make. */
export function toFinishReason(
  raw: string | undefined,
  answer: { readonly refused: boolean; readonly called: boolean },
): FinishReason {
  const reason = REASONS.get(raw ?? "") ?? "other";
  if (reason !== "stop") return reason;
  if (answer.called) return "tool_calls";
  return answer.refused ? "refusal" : "stop";
}
