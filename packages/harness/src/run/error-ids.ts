import { type TinyAgentsError as Failure, TinyAgentsError } from "@tinyagents/core";

/** Where a failure belongs. */
export interface ErrorIds {
  readonly runId?: string | undefined;
  readonly callId?: string | undefined;
}

/** The failure with ids that it lacks. Those that it has are kept: whoever saw it first knew where it was. */
export function withIds(failure: Failure, { runId, callId }: ErrorIds): Failure {
  const ids = { runId: failure.runId ?? runId, callId: failure.callId ?? callId };
  if (ids.runId === failure.runId && ids.callId === failure.callId) return failure;
  const { code, message, details, retryable, cause } = failure;
  return new TinyAgentsError(code, message, { details, retryable, cause, ...ids });
}

/** The tool call that a failure tells of in its details. */
export function callIdIn({ details }: Failure): string | undefined {
  const { callId } = details as { readonly callId?: unknown };
  return typeof callId === "string" ? callId : undefined;
}
