import type { ErrorRecord } from "../../errors.js";
import type { JsonValue } from "../../json.js";
import type { TaskState } from "./task.js";

/**
 * What can be done with a task. Whoever does the task shows the `fence` of its lease, and is refused with `conflict` once
 * somebody else has claimed it; all others say who they are.
 */
export type TaskAction =
  /** Becomes the owner for `leaseMs`: of a task that is pending, or whose owner's time is up. */
  | { readonly type: "claim"; readonly by: string; readonly leaseMs: number; readonly runId?: string | undefined }
  /** Stays the owner for `leaseMs` from now. */
  | { readonly type: "renew"; readonly fence: number; readonly leaseMs: number }
  /** Lets go: somebody else may do it. One that is being cancelled is cancelled by this. */
  | { readonly type: "release"; readonly fence: number; readonly reason?: string | undefined }
  /** Lets go until somebody answers. */
  | { readonly type: "wait"; readonly fence: number; readonly question: JsonValue }
  | { readonly type: "succeed"; readonly fence: number; readonly result: JsonValue }
  | { readonly type: "fail"; readonly fence: number; readonly error: ErrorRecord }
  /** The messages were taken in, and need not come again. */
  | { readonly type: "acknowledge"; readonly fence: number; readonly ids: readonly string[] }
  /** Answers one that waits: it can be claimed again. */
  | { readonly type: "answer"; readonly by: string; readonly answer: JsonValue }
  /** Says something to whoever does it, or will. */
  | { readonly type: "steer"; readonly by: string; readonly id: string; readonly payload: JsonValue }
  /** Asks whoever does it to stop; one that nobody does is cancelled at once. Nothing for one that has ended. */
  | { readonly type: "cancel"; readonly by: string; readonly reason?: string | undefined }
  /** Ends it at once: whoever does it finds its lease gone. Nothing for one that has ended. */
  | { readonly type: "abort"; readonly by: string; readonly reason?: string | undefined };

type Type = TaskAction["type"];

/** Where an action leads, from each state that allows it. The same state: something else of the task changes. */
export const TASK_TRANSITIONS: { readonly [T in Type]: { readonly [S in TaskState]?: TaskState } } = {
  claim: { pending: "running", running: "running", cancelling: "cancelling" },
  renew: { running: "running", cancelling: "cancelling" },
  release: { running: "pending", cancelling: "cancelled" },
  wait: { running: "waiting", cancelling: "cancelled" },
  succeed: { running: "succeeded", cancelling: "succeeded" },
  fail: { running: "failed", cancelling: "failed" },
  acknowledge: { running: "running", cancelling: "cancelling" },
  answer: { waiting: "pending" },
  steer: { pending: "pending", running: "running", waiting: "waiting", cancelling: "cancelling" },
  cancel: { pending: "cancelled", running: "cancelling", waiting: "cancelled", cancelling: "cancelling" },
  abort: { pending: "aborted", running: "aborted", waiting: "aborted", cancelling: "aborted" },
};
