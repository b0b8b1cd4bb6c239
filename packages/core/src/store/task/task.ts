import type { ErrorRecord } from "../../errors.js";
import type { JsonObject, JsonValue } from "../../json.js";

/**
 * How far a task is. `pending`: whoever comes first may do it; `running`: somebody does; `waiting`: it needs an answer from
 * outside; `cancelling`: whoever does it was asked to stop. The last four are ends: `cancelled` by agreement, `aborted` without.
 */
export const TASK_STATES = [
  "pending",
  "running",
  "waiting",
  "cancelling",
  "succeeded",
  "failed",
  "cancelled",
  "aborted",
] as const;

/** One of {@link TASK_STATES}. */
export type TaskState = (typeof TASK_STATES)[number];

/** Something that is to be done, perhaps later and by somebody else. */
export interface TaskSpec {
  /** Default: a new one. Creating a task again under its id, with the same spec, gives the task that is there. */
  readonly taskId?: string | undefined;
  /** Who can do it: the name of an agent, a graph, a tool. */
  readonly kind: string;
  readonly input: JsonValue;
  readonly threadId?: string | undefined;
  /** The run at the top of the tree that wants it done. */
  readonly rootRunId?: string | undefined;
  readonly parentRunId?: string | undefined;
  readonly parentTaskId?: string | undefined;
  readonly metadata?: JsonObject | undefined;
}

/** The right of one worker to do a task, until a time. */
export interface TaskLease {
  readonly by: string;
  /** Which owner of the task this is; rises from one to the next. */
  readonly fence: number;
  /** Ms since 1970. From then on somebody else may claim the task. */
  readonly untilMs: number;
}

/** What somebody says to whoever does a task. */
export interface TaskMessage {
  /** Sending it again under its id adds nothing. */
  readonly id: string;
  readonly by: string;
  readonly payload: JsonValue;
  readonly atMs: number;
}

/** One change of a task's state. */
export interface TaskTransition {
  readonly atMs: number;
  readonly action: string;
  readonly from: TaskState;
  readonly to: TaskState;
  readonly by: string;
  readonly reason?: string;
}

/** A task as it is stored. JSON. */
export interface TaskRecord {
  /** Format. */
  readonly v: 1;
  readonly taskId: string;
  readonly kind: string;
  readonly input: JsonValue;
  readonly threadId?: string;
  readonly rootRunId?: string;
  readonly parentRunId?: string;
  readonly parentTaskId?: string;
  readonly metadata?: JsonObject;
  readonly state: TaskState;
  /** How often it was claimed; the fence of the last claim. */
  readonly claims: number;
  /** There while somebody does it. */
  readonly lease?: TaskLease;
  /** The run that does it, where that was said. */
  readonly runId?: string;
  /** What it waits for. */
  readonly question?: JsonValue;
  /** What it was last told when it waited. */
  readonly answer?: JsonValue;
  readonly result?: JsonValue;
  readonly error?: ErrorRecord;
  /** Messages that were not acknowledged, oldest first. */
  readonly messages: readonly TaskMessage[];
  /** Ids of the messages that were acknowledged last. */
  readonly acknowledged: readonly string[];
  /** The last changes of its state, oldest first; at most 100 are kept. */
  readonly history: readonly TaskTransition[];
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly endedAtMs?: number;
}

/** Whether nothing more comes of a task. */
export function taskHasEnded(state: TaskState): boolean {
  return state === "succeeded" || state === "failed" || state === "cancelled" || state === "aborted";
}
