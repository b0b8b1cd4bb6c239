import { isTinyAgentsError, messageOf, TinyAgentsError, type ToolMessage } from "@tinyagents/core";
import type { LiveRun } from "./live-run.js";
import { handOut } from "./live-state.js";

/**
 * Hands the run's state to its recorder, where it has one.
 * @throws `store_failed`, and the recorder's own typed errors.
 */
export async function recordStep(run: LiveRun): Promise<void> {
  try {
    await run.recorder?.step(handOut(run.state), run.claim?.terms);
  } catch (error) {
    throw recorderError("step", error);
  }
}

/**
 * Hands a tool's result to the run's recorder: the call counts as done when this has resolved.
 * @throws `store_failed`, and the recorder's own typed errors.
 */
export async function recordToolResult(run: LiveRun, callId: string, result: ToolMessage): Promise<void> {
  try {
    await run.recorder?.toolResult(run.state.config.runId, callId, result, run.claim?.terms);
  } catch (error) {
    throw recorderError("toolResult", error);
  }
}

/** The failure of a recorder: one that has a code keeps it. */
export function recorderError(operation: string, error: unknown): TinyAgentsError {
  if (isTinyAgentsError(error)) return error;
  return new TinyAgentsError("store_failed", `The recorder failed in ${operation}: ${messageOf(error)}`, {
    details: { store: "recorder", operation },
    cause: error,
  });
}
