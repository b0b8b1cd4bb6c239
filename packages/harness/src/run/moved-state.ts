import { type AgentState, checkAgentState } from "@tinyagents/core";
import { handOut, type LiveState, takeOver } from "./live-state.js";

/** States that are being moved, and those that were given up to work that ignored its cancellation. */
const taken = new WeakSet<AgentState>();
/** How many messages a state had when it was handed out. */
const handedOut = new WeakMap<AgentState, number>();

/**
 * Takes a state over from a driver, for one step. What is looked at does not grow with the history, once the state has
 * come from here.
 * @throws `corrupt_data` or `version_mismatch` for what is no state; TypeError for one that is being moved already.
 */
export function takeForStep(state: AgentState): LiveState {
  if (taken.has(state)) {
    throw new TypeError(
      "step: this state is being moved already. Wait for that step, and go on with the state that it gives",
    );
  }
  checkAgentState(state, "the run's state", handedOut.get(state));
  taken.add(state);
  return takeOver(state);
}

/** Hands the state out that a step ended with. */
export function handOutAfterStep(live: LiveState): AgentState {
  const state = handOut(live);
  taken.delete(state);
  handedOut.set(state, state.messages.length);
  return state;
}

/** The step failed without an end: the driver still has its state. */
export function giveBack(state: AgentState): void {
  taken.delete(state);
}
