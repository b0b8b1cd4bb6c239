import type { LiveRun } from "../run/live-run.js";

/** Decides what an answer without tool calls leads to. */
export function stopCheck(run: LiveRun): void {
  const { state, definition } = run;
  if (state.lastResponse?.finishReason === "pause" && !state.finalizing) {
    state.phase = "dispatch";
    return;
  }
  state.phase = definition.output === undefined ? "finalize" : "validate";
}
