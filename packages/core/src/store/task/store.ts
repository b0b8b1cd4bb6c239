import type { StoreCallOptions } from "../call-options.js";
import type { Page } from "../store.js";
import type { TaskAction } from "./action.js";
import type { TaskRecord, TaskSpec, TaskState } from "./task.js";

/** Which tasks to list, by when they were created. */
export interface TaskQuery {
  /** Tasks of a thread. Not together with `rootRunId` or `kind`. */
  readonly threadId?: string | undefined;
  /** Tasks that a tree of runs wants done. Not together with `threadId` or `kind`. */
  readonly rootRunId?: string | undefined;
  /** Tasks of a kind. Needs one state. */
  readonly kind?: string | undefined;
  /** Tasks in one of these states. Without `threadId` and `rootRunId` there may be one only. */
  readonly states?: readonly TaskState[] | undefined;
  /** Default `ascending`: oldest first. */
  readonly order?: "ascending" | "descending" | undefined;
  /** At most this many. Default 100. */
  readonly limit?: number | undefined;
  /** Go on after an earlier page. */
  readonly cursor?: string | undefined;
}

/** Which finished tasks to take away. */
export interface PruneTasks {
  /** Those that ended before this time, ms since 1970. */
  readonly endedBeforeMs: number;
  /** At most this many. Default 1,000. */
  readonly limit?: number | undefined;
}

/**
 * Tasks that outlive the process that wanted them. Once a method has resolved, a durable store keeps what it did: a task
 * that was created is found after a crash, and done by somebody.
 *
 * All methods throw `invalid_request` for arguments that cannot be, `corrupt_data` and `version_mismatch` for stored
 * records that cannot be read, and what the store below throws.
 */
export interface TaskStore {
  /** @throws `conflict` when there is a task of this id with another spec. */
  create(spec: TaskSpec, options?: StoreCallOptions): Promise<TaskRecord>;
  /** The task; nothing when there is none. */
  get(taskId: string, options?: StoreCallOptions): Promise<TaskRecord | undefined>;
  /**
   * Does what `applyTaskAction` says, at one moment, whoever else does something.
   * @throws `conflict` that names the states when the task does not allow it; `invalid_request` when there is no such task.
   */
  act(taskId: string, action: TaskAction, options?: StoreCallOptions): Promise<TaskRecord>;
  /** Tasks in the order that is asked for, a page at a time. */
  list(query?: TaskQuery, options?: StoreCallOptions): Promise<Page<TaskRecord>>;
  /** Takes finished tasks away, the oldest ends first. Gives how many went: fewer than the limit when no more are there. */
  prune(which: PruneTasks, options?: StoreCallOptions): Promise<number>;
}
