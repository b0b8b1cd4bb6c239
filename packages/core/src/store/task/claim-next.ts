import { type Clock, systemClock } from "../../clock.js";
import { isTinyAgentsError } from "../../errors.js";
import type { StoreCallOptions } from "../call-options.js";
import type { TaskStore } from "./store.js";
import type { TaskRecord, TaskState } from "./task.js";

/** Who wants to do what. */
export interface ClaimNextOptions extends StoreCallOptions {
  /** Who claims: the name of a worker. */
  readonly by: string;
  /** The kinds that it can do, those that it would rather do first. */
  readonly kinds: readonly string[];
  /** How long it owns the task without renewing, ms. */
  readonly leaseMs: number;
  /** By which leases run out. Default: real time. */
  readonly clock?: Clock | undefined;
}

/**
 * Claims a task that somebody may do: first one whose owner is gone (the time of its lease is up), then the oldest that is
 * pending. Nothing when there is none. Of several workers that ask at once each gets another task.
 */
export async function claimNextTask(tasks: TaskStore, options: ClaimNextOptions): Promise<TaskRecord | undefined> {
  for (const kind of options.kinds) {
    for (const state of ["cancelling", "running", "pending"] as const) {
      const claimed = await claimAmong(tasks, kind, state, options);
      if (claimed !== undefined) return claimed;
    }
  }
  return undefined;
}

async function claimAmong(
  tasks: TaskStore,
  kind: string,
  state: TaskState,
  { by, leaseMs, clock = systemClock, signal }: ClaimNextOptions,
): Promise<TaskRecord | undefined> {
  let cursor: string | undefined;
  do {
    const page = await tasks.list({ kind, states: [state], cursor, limit: 20 }, { signal });
    for (const { taskId, lease } of page.items) {
      if (lease !== undefined && lease.untilMs > clock.now()) continue;
      try {
        return await tasks.act(taskId, { type: "claim", by, leaseMs }, { signal });
      } catch (error) {
        // Another worker was faster, or the task was stopped or taken away.
        if (!isTinyAgentsError(error, "conflict") && (await tasks.get(taskId, { signal })) !== undefined) throw error;
      }
    }
    cursor = page.cursor;
  } while (cursor !== undefined);
  return undefined;
}
