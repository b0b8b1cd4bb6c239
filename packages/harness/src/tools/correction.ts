import { limitError } from "@tinyagents/core";
import type { LiveRun } from "../run/live-run.js";

/**
 * Takes one correction out of the budget that all mistakes of the model share.
 * @throws `limit_exceeded` when it is used up.
 */
export function correction(run: LiveRun, kind: "unknown_tool" | "arguments" | "output"): void {
  const { counters, config } = run.state;
  const allowed = config.limits.maxCorrections;
  if (counters.corrections >= allowed) {
    run.event()?.("limit.reached", { limit: "maxCorrections", allowed });
    throw limitError("maxCorrections", allowed, run.countersJson());
  }
  counters.corrections++;
  run.event()?.("correction.requested", { kind, used: counters.corrections, allowed });
}
