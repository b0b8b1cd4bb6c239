import {
  abortError,
  type TinyAgentsError as Failure,
  isTinyAgentsError,
  messageOf,
  type Phase,
  readThrown,
  TinyAgentsError,
  type ToolStatus,
} from "@tinyagents/core";
import { boundedError } from "../run/bounded-error.js";
import { callIdIn, withIds } from "../run/error-ids.js";
import type { LiveRun } from "../run/live-run.js";
import { closeOpenCalls } from "./open-calls.js";

/**
 * Ends a run with a failure: the history is made whole, so that it can be continued, and the failure is told once.
 * The live error, with its causes, stays on the run for whoever throws it.
 */
export async function failRun(run: LiveRun, thrown: unknown): Promise<void> {
  if (run.failure !== undefined) return;
  const { state } = run;
  if (isLimitHit(run, thrown)) {
    closeOpenCalls(run, "not_run", "This call was not run: the run has reached a limit.");
    state.phase = "limit";
    return;
  }
  const failure = withRun(run, boundedError(await afterHooks(run, asFailure(run, thrown), thrown)));
  closeOpenCalls(run, statusFor(failure), reasonFor(failure));
  const { wallClockMs } = state.config.limits;
  if (run.outOfTime && wallClockMs !== undefined) {
    run.event()?.("limit.reached", { limit: "wallClockMs", allowed: wallClockMs });
  }
  run.failure = failure;
  state.error = failure.toJSON();
  state.resumeAt = resumePhase(state.phase);
  state.phase = "failed";
  run.event()?.("run.failed", { error: state.error });
}

/** A limit that was hit in the middle of a phase is dealt with like any other: see `reachLimit`. */
function isLimitHit({ state, cancellation }: LiveRun, thrown: unknown): boolean {
  if (state.limit === null || state.phase === "limit" || state.finalizing) return false;
  return cancellation.reason === undefined && isTinyAgentsError(thrown, "limit_exceeded");
}

/**
 * A cancelled run fails with the reason it was cancelled for, whatever the work made of that. What it gives is fit to be
 * recorded.
 */
export function asFailure(run: LiveRun, thrown: unknown): Failure {
  const { reason } = run.cancellation;
  if (reason !== undefined) return boundedError(reason);
  if (isTinyAgentsError(thrown)) return boundedError(thrown);
  if (readThrown(thrown).name === "AbortError") return abortError(thrown);
  return new TinyAgentsError("internal", `The run failed unexpectedly: ${messageOf(thrown)}`, {
    details: { reason: messageOf(thrown) },
    cause: thrown,
  });
}

/**
 * `onError` hooks hear of what they have not heard of yet, as it was thrown or as it is recorded. They may put another
 * error in its place.
 */
async function afterHooks(run: LiveRun, failure: Failure, thrown: unknown): Promise<Failure> {
  const { onError } = run.definition.hooks;
  if (onError === undefined || run.hasHeard(failure)) return failure;
  if (isTinyAgentsError(thrown) && run.hasHeard(thrown)) return failure;
  run.hear(failure);
  try {
    const { control } = await onError(failure, run.scope);
    return control?.type === "fail" ? control.error : failure;
  } catch (error) {
    return isTinyAgentsError(error) ? error : failure;
  }
}

function withRun(run: LiveRun, failure: Failure): Failure {
  const { runId } = run.state.config;
  const ignoredBy = run.ignoredBy;
  if (isTinyAgentsError(failure, "cancelled") && ignoredBy.length > 0) {
    return new TinyAgentsError("cancelled", `${failure.message} These did not stop: ${ignoredBy.join(", ")}.`, {
      details: { ...failure.details, ignoredBy: [...ignoredBy] },
      cause: failure,
      runId,
    });
  }
  return withIds(failure, { runId, callId: callIdIn(failure) });
}

function statusFor(failure: Failure): ToolStatus {
  return failure.code === "cancelled" ? "cancelled" : "not_run";
}

function reasonFor(failure: Failure): string {
  return failure.code === "cancelled"
    ? "This call was cancelled before it had a result."
    : "This call was not run: the run ended before its turn came.";
}

/** What was saved is not done again; everything else goes on with a model call. */
function resumePhase(failedIn: Phase): Phase {
  if (failedIn === "start" || failedIn === "finalize") return failedIn;
  return "dispatch";
}
