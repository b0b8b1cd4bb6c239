import { type ArgumentIssue, limitError } from "@tinyagents/core";
import type { LiveRun } from "../run/live-run.js";

/**
 * Takes one correction out of the budget that all mistakes of the model share.
 * @throws `limit_exceeded` when it is used up: nothing of the batch runs then, and the phase `limit` is due.
 */
export function correction(run: LiveRun, kind: "unknown_tool" | "arguments" | "output"): void {
  const { counters, config } = run.state;
  const allowed = config.limits.maxCorrections;
  if (counters.corrections >= allowed) {
    run.state.limit = { limit: "maxCorrections", allowed };
    throw limitError("maxCorrections", allowed, run.countersJson());
  }
  counters.corrections++;
  run.event()?.("correction.requested", { kind, used: counters.corrections, allowed });
}

/** What is wrong, a line each, as the model is told. */
export function issueLines(issues: readonly ArgumentIssue[]): string {
  return issues.map(({ path, message }) => (path === "" ? `- ${message}` : `- ${path}: ${message}`)).join("\n");
}
