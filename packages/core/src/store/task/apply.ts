import { TinyAgentsError } from "../../errors.js";
import { canonicalJson } from "../../json.js";
import { TASK_TRANSITIONS, type TaskAction } from "./action.js";
import { addMessage, withoutMessages } from "./messages.js";
import { type TaskLease, type TaskRecord, type TaskState, taskHasEnded } from "./task.js";

/** Changes of state that are kept. */
const MOST_KEPT = 100;

/**
 * A task after an action. Pure: who implements a task store over something else does by this what ours does. Gives the
 * same object where nothing changes: for an end that was reached in the same way before, a message that is there, and one
 * that asks a task to stop that has ended.
 *
 * @param action checked, see `readTaskAction`.
 * @throws `conflict` that names the states: for an action that the task's state does not allow, for a claim of one that
 * somebody owns (retryable), and for a fence that is not the newest.
 */
export function applyTaskAction(task: TaskRecord, action: TaskAction, nowMs: number): TaskRecord {
  if (isRepeated(task, action)) return task;
  const to = TASK_TRANSITIONS[action.type][task.state];
  if (to === undefined) throw notAllowed(task, action);
  if ("fence" in action) checkFence(task, action.fence);
  if (action.type === "claim") checkFree(task, nowMs);
  const changed = change(task, action, nowMs);
  if (changed === task) return task;
  const moved = to === task.state && action.type !== "claim" ? changed : noted(changed, task.state, to, action, nowMs);
  return { ...settled(moved, to, nowMs), updatedAtMs: Math.max(task.updatedAtMs, nowMs) };
}

/** What is asked for is so already: an answer that was lost, or a task that has ended before it was stopped. */
function isRepeated(task: TaskRecord, action: TaskAction): boolean {
  switch (action.type) {
    case "cancel":
      return task.state === "cancelling" || taskHasEnded(task.state);
    case "abort":
      return taskHasEnded(task.state);
    case "succeed":
      return task.state === "succeeded" && isLast(task, action.fence) && isSame(task.result, action.result);
    case "fail":
      return task.state === "failed" && isLast(task, action.fence) && isSame(task.error, action.error);
    case "wait":
      return task.state === "waiting" && isLast(task, action.fence) && isSame(task.question, action.question);
    default:
      return false;
  }
}

function isLast(task: TaskRecord, fence: number): boolean {
  return task.claims === fence;
}

function isSame(one: unknown, other: unknown): boolean {
  return one !== undefined && canonicalJson(one) === canonicalJson(other);
}

/** What an action changes besides the state. */
function change(task: TaskRecord, action: TaskAction, nowMs: number): TaskRecord {
  switch (action.type) {
    case "claim": {
      const { by, leaseMs, runId = task.runId } = action;
      const claims = task.claims + 1;
      const lease: TaskLease = { by, fence: claims, untilMs: nowMs + leaseMs };
      return { ...task, claims, lease, ...(runId === undefined ? {} : { runId }) };
    }
    case "renew":
      return { ...task, lease: { ...leaseOf(task), untilMs: nowMs + action.leaseMs } };
    case "wait":
      return { ...task, question: action.question };
    case "answer": {
      const { question: _, ...answered } = task;
      return { ...answered, answer: action.answer };
    }
    case "succeed":
      return { ...task, result: action.result };
    case "fail":
      return { ...task, error: action.error };
    case "acknowledge":
      return withoutMessages(task, action.ids);
    case "steer":
      return addMessage(task, { id: action.id, by: action.by, payload: action.payload, atMs: nowMs });
    case "release":
    case "cancel":
    case "abort":
      return { ...task };
  }
}

/** The state, and what goes with it: a lease only while somebody does the task, a question only while it waits. */
function settled(task: TaskRecord, state: TaskState, nowMs: number): TaskRecord {
  const { lease, question, ...rest } = task;
  return {
    ...rest,
    state,
    ...(lease !== undefined && (state === "running" || state === "cancelling") ? { lease } : {}),
    ...(question !== undefined && state === "waiting" ? { question } : {}),
    ...(taskHasEnded(state) ? { endedAtMs: nowMs } : {}),
  };
}

function noted(task: TaskRecord, from: TaskState, to: TaskState, action: TaskAction, atMs: number): TaskRecord {
  const by = "by" in action ? action.by : leaseOf(task).by;
  const reason = "reason" in action ? action.reason : undefined;
  const transition = { atMs, action: action.type, from, to, by, ...(reason === undefined ? {} : { reason }) };
  return { ...task, history: [...task.history, transition].slice(-MOST_KEPT) };
}

/** A task that somebody does has a lease: stored tasks are checked for it. */
function leaseOf(task: TaskRecord): TaskLease {
  return task.lease as TaskLease;
}

function checkFence(task: TaskRecord, fence: number): void {
  if (task.lease?.fence === fence) return;
  throw new TinyAgentsError(
    "conflict",
    `${nameOf(task)} is owned by claim ${fence} no longer. Nothing was changed; stop working on it.`,
    { details: { resource: nameOf(task), expected: fence, found: task.lease?.fence ?? null } },
  );
}

function checkFree(task: TaskRecord, nowMs: number): void {
  const { lease } = task;
  if (lease === undefined || lease.untilMs <= nowMs) return;
  throw new TinyAgentsError(
    "conflict",
    `${nameOf(task)} is being done by ${lease.by}, until ${new Date(lease.untilMs).toISOString()} unless that is renewed.`,
    { details: { resource: nameOf(task), expected: null, found: { ...lease } }, retryable: true },
  );
}

function notAllowed(task: TaskRecord, { type }: TaskAction): TinyAgentsError<"conflict"> {
  const allowed = Object.keys(TASK_TRANSITIONS[type]);
  return new TinyAgentsError(
    "conflict",
    `${nameOf(task)} is ${task.state}; ${type} needs one that is ${allowed.join(" or ")}. Nothing was changed.`,
    { details: { resource: nameOf(task), expected: allowed, found: task.state } },
  );
}

function nameOf({ taskId }: TaskRecord): string {
  return `task ${JSON.stringify(taskId)}`;
}
