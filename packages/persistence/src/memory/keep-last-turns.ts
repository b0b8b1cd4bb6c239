import type { MemoryPolicy } from "./policy.js";
import { checkTurns, turnStarts } from "./turns.js";

/**
 * A policy that forgets all but the newest turns. A turn starts with a user message, or with several in a row, and is kept
 * or dropped whole: no call loses its result.
 * @throws TypeError for a `count` that is no whole number from 1 up.
 */
export function keepLastTurns(count: number): MemoryPolicy {
  checkTurns("keepLastTurns: count", count);
  return (state) => {
    const start = turnStarts(state.messages).at(-count) ?? 0;
    return start === 0 ? state : { ...state, messages: state.messages.slice(start) };
  };
}
