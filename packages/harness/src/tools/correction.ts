import { type ArgumentIssue, boundedText, limitError } from "@tinyagents/core";
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

/** What is wrong, a line each, as the model is told; bounded, for a schema may find fault without end. */
export function issueLines(issues: readonly ArgumentIssue[]): string {
  const lines = issues
    .slice(0, MOST_LINES)
    .map(({ path, message }) => (path === "" ? `- ${message}` : `- ${path}: ${message}`));
  if (issues.length > MOST_LINES) lines.push(`- and ${issues.length - MOST_LINES} more`);
  return boundedText(lines.join("\n"), LONGEST_LINES);
}

const MOST_LINES = 50;
const LONGEST_LINES = 3_000;
