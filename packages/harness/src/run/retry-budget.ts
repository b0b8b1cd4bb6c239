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
  if (run.cancellation.reason !== undefined || counters.retries >= config.limits.maxRetries) return false;
  counters.retries++;
  run.event()?.("retry.scheduled", { callId, attempt: attempt + 1, delayMs, code: error.code });
  return true;
}

/**
 * Whether a retry that may not be made is the run's limit: its budget is used up. A run that has none at all just does
 * not repeat, and one that gives its last answer is at a limit already.
 */
export function retriesUsedUp({ state, cancellation }: LiveRun): boolean {
  const { maxRetries } = state.config.limits;
  return (
    maxRetries > 0 && state.counters.retries >= maxRetries && cancellation.reason === undefined && !state.finalizing
  );
}

/** The same for a tool call. Its failure is told to the model; with a used-up budget the run ends after the batch. */
export function takeToolRetry(run: LiveRun, callId: string, retry: WantedRetry): boolean {
  const taken = takeRetry(run, callId, retry);
  if (!taken && retriesUsedUp(run))
    run.state.limit = { limit: "maxRetries", allowed: run.state.config.limits.maxRetries };
  return taken;
}
