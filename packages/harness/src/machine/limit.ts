import { type LimitName, limitError, TinyAgentsError } from "@tinyagents/core";
import type { LiveRun } from "../run/live-run.js";

/** Notes that a limit was hit: the phase `limit` deals with it. */
export function hitLimit(run: LiveRun, limit: LimitName, allowed: number): void {
  run.state.limit = { limit, allowed };
  run.state.phase = "limit";
}

/**
 * Ends the run with the limit's error or, where the policy says so, asks once more, without tools.
 * @throws `limit_exceeded` with the counters; `internal` for a state that names no limit.
 */
export function reachLimit(run: LiveRun): void {
  const { state, definition } = run;
  if (state.limit === null) {
    throw new TinyAgentsError("internal", "The run is at a limit, and its state does not say at which.", {
      details: { reason: "no_limit" },
    });
  }
  const { limit, allowed } = state.limit;
  run.event()?.("limit.reached", { limit, allowed });
  if (definition.policies.onLimit !== "finalize" || state.finalizing)
    throw limitError(limit, allowed, run.countersJson(), run.limitCause);
  state.finalizing = true;
  state.stop = { by: "limit", name: limit };
  state.phase = "dispatch";
}
