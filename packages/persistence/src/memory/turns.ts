import { type Message, toolCalls } from "@tinyagents/core";

/**
 * Where turns start: at a user message that follows none, and after which nobody gives the result of a call from before
 * it. A history may be cut at each of these places. Ascending; what stands before the first belongs to no turn.
 */
export function turnStarts(messages: readonly Message[]): readonly number[] {
  const answeredAt = lastAnswers(messages);
  const starts: number[] = [];
  let owed = -1;
  messages.forEach((message, at) => {
    if (message.role === "user" && messages[at - 1]?.role !== "user" && owed < at) starts.push(at);
    owed = Math.max(owed, answeredAt.get(at) ?? -1);
  });
  return starts;
}

/** For messages whose calls have results: where the last of these stands. A result is one of the newest call of its id. */
function lastAnswers(messages: readonly Message[]): ReadonlyMap<number, number> {
  const calledAt = new Map<string, number>();
  const answeredAt = new Map<number, number>();
  messages.forEach((message, at) => {
    if (message.role === "assistant") for (const { id } of toolCalls(message)) calledAt.set(id, at);
    if (message.role !== "tool") return;
    const called = calledAt.get(message.toolCallId);
    if (called !== undefined) answeredAt.set(called, at);
  });
  return answeredAt;
}

/** @throws TypeError unless the value is a whole number from `least` up. */
export function checkTurns(name: string, value: unknown, least = 1): number {
  if (Number.isSafeInteger(value) && (value as number) >= least) return value as number;
  throw new TypeError(`${name} must be a whole number of turns from ${least} up, not ${String(value)}`);
}
