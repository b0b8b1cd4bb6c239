import { type LimitName, limitError } from "@tinyagents/core";
import type { LiveRun } from "../run/live-run.js";

/** Notes that a limit was hit: the phase `limit` deals with it. */
export function hitLimit(run: LiveRun, limit: LimitName, allowed: number): void {
  run.state.limit = { limit, allowed };
  run.state.phase = "limit";
}

/**
 * Ends the run with the limit's error or, where the policy says so, asks once more, without tools.
 * @throws `limit_exceeded` with the counters.
 */
export function reachLimit(run: LiveRun): void {
  const { state, definition } = run;
  const { limit, allowed } = state.limit ?? { limit: "maxModelCalls", allowed: state.config.limits.maxModelCalls };
  run.event()?.("limit.reached", { limit, allowed });
  if (definition.policies.onLimit !== "finalize" || state.finalizing)
    throw limitError(limit, allowed, run.countersJson());
  state.finalizing = true;
  state.stop = { by: "limit", name: limit };
  state.phase = "dispatch";
}
