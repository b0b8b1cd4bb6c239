import { canonicalJson, type Message } from "@tinyagents/core";

/**
 * Where a history starts to differ from the one that was recorded: its length when it has only been extended. A message
 * that is the same object is the same; one that is equal counts as the same, and is put into `recorded` in place of the
 * one there, so that the next comparison is one of objects alone. Objects are compared in about a nanosecond, which
 * keeps this far below the cost of writing a step.
 */
export function changedFrom(recorded: Message[], messages: readonly Message[]): number {
  const length = Math.min(recorded.length, messages.length);
  for (let i = 0; i < length; i++) {
    const message = messages[i];
    if (message === recorded[i]) continue;
    if (message === undefined || canonicalJson(message) !== canonicalJson(recorded[i])) return i;
    recorded[i] = message;
  }
  return length;
}
