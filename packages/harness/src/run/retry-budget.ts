import type { AnyTinyAgentsError } from "@tinyagents/core";
import type { LiveRun } from "./live-run.js";

/** A retry that is wanted: the attempt that failed, the wait, and the failure. */
export interface WantedRetry {
  readonly attempt: number;
  readonly delayMs: number;
  readonly error: AnyTinyAgentsError;
}

/** Takes one retry out of the run's budget, which model calls and tool calls share. False: it may not be made. */
export function takeRetry(run: LiveRun, callId: string, { attempt, delayMs, error }: WantedRetry): boolean {
  const { counters, config } = run.state;
  const { maxRetries } = config.limits;
  if (run.cancellation.reason !== undefined) return false;
  if (counters.retries >= maxRetries) {
    run.event()?.("limit.reached", { limit: "maxRetries", allowed: maxRetries });
    return false;
  }
  counters.retries++;
  run.event()?.("retry.scheduled", { callId, attempt: attempt + 1, delayMs, code: error.code });
  return true;
}
