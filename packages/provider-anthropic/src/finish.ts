import type { FinishReason } from "@tinyagents/core";

/** @see https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons */
const REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["tool_use", "tool_calls"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["refusal", "refusal"],
  ["pause_turn", "pause"],
  ["compaction", "pause"],
]);

/** Why the model stopped. Some compatible servers say `end_turn` also of a call. */
export function toFinishReason(raw: string, called: boolean): FinishReason {
  const reason = REASONS.get(raw) ?? "other";
  return reason === "stop" && called ? "tool_calls" : reason;
}
