import type { Check, Report } from "../check.js";
import { type RunOptions, runChecks } from "../run-checks.js";
import { itemChecks } from "./item-checks.js";
import { runningChecks } from "./running-checks.js";
import { type AgentStreamSubject, type AgentStreamUnderTest, agentStreamUnderTest } from "./subject.js";

/** What the stream of every agent's run promises. */
export const agentStreamChecks: readonly Check<AgentStreamUnderTest>[] = [...itemChecks, ...runningChecks];

/** Runs all stream checks on a loop. */
export function checkAgentStream(subject: AgentStreamSubject, options: Omit<RunOptions, "name"> = {}): Promise<Report> {
  return runChecks(agentStreamChecks, () => agentStreamUnderTest(subject), { ...options, name: subject.name });
}
