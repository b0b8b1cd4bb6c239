import { corruptData, type Message, readMessages, type UserMessage } from "@tinyagents/core";
import type { MemoryPolicy } from "./policy.js";
import { checkTurns, turnStarts } from "./turns.js";

export interface KeepSummaryOptions {
  /**
   * Gives the one message that stands for the messages of earlier turns, an earlier summary among them. A user message:
   * every model takes one at the start of a history.
   */
  readonly summarize: (
    messages: readonly Message[],
    signal: AbortSignal | undefined,
  ) => UserMessage | Promise<UserMessage>;
  /** How many of the newest turns stay whole. Default 5. */
  readonly keepTurns?: number | undefined;
  /** Nothing is summarized until there are more turns than this. Default twice `keepTurns`. */
  readonly maxTurns?: number | undefined;
}

/**
 * A policy that puts a summary in place of earlier turns when there are too many, and keeps the newest whole: no call
 * loses its result. The summary is part of the turn that follows it.
 * @throws TypeError for a `summarize` that is no function, and for numbers of turns that are none or are less than they
 * should be.
 */
export function keepSummary({ summarize, keepTurns = 5, maxTurns = keepTurns * 2 }: KeepSummaryOptions): MemoryPolicy {
  if (typeof summarize !== "function") throw new TypeError("keepSummary: summarize must be a function");
  checkTurns("keepSummary: keepTurns", keepTurns);
  checkTurns("keepSummary: maxTurns", maxTurns, keepTurns);
  return async (state, { signal }) => {
    const { messages } = state;
    const starts = turnStarts(messages);
    const start = starts.at(-keepTurns) ?? 0;
    if (starts.length <= maxTurns || start === 0) return state;
    const summary = readSummary(await summarize(messages.slice(0, start), signal));
    return { ...state, messages: [summary, ...messages.slice(start)] };
  };
}

/** @throws `corrupt_data` */
function readSummary(value: unknown): Message {
  const [summary] = readMessages([value], "summary") as readonly [Message];
  if (summary.role === "user") return summary;
  throw corruptData("summary[0].role", `a user message is expected, one of role ${summary.role} found`);
}
