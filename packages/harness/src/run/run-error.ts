import { type AgentRun, errorFromRecord, isTinyAgentsError, TinyAgentsError } from "@tinyagents/core";
import type { LiveState } from "./live-state.js";

/** The failure that a state tells of. */
export function recordedFailure({ error }: LiveState): TinyAgentsError {
  if (error !== null) return errorFromRecord(error);
  return new TinyAgentsError("internal", "The run failed without an error.", { details: { reason: "no_error" } });
}

/** The run as far as it got goes with its error, out of sight of `JSON.stringify` and of loggers. */
export function withRun(error: TinyAgentsError, run: AgentRun<unknown>): TinyAgentsError {
  return Object.defineProperty(error, "run", { value: run, enumerable: false, configurable: true, writable: true });
}

/** The run that an error ended, as far as it got; nothing for an error that is not a run's. */
export function runOf(error: unknown): AgentRun<unknown> | undefined {
  return isTinyAgentsError(error) ? (error as { readonly run?: AgentRun<unknown> }).run : undefined;
}
