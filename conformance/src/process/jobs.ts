import {
  type AppendStore,
  type CheckpointStore,
  isTinyAgentsError,
  type JsonObject,
  type JsonValue,
  type Store,
  systemClock,
  type TaskStore,
} from "@tinyagents/core";
import { CheckFailure } from "../assert.js";
import type { Lane, Parts } from "../chaos/lane.js";
import { stopWriting, writeUntilKilled, writeUntilStopped } from "../chaos/write-job.js";
import { moveCheckpoints } from "../checkpoint-store/jobs.js";
import { outcomeOf } from "../store/suite.js";
import { doTasks, takeTurns } from "../task-store/jobs.js";

/** What is open in a child process. */
export interface JobHandle {
  readonly store?: Store;
  readonly log?: AppendStore;
  readonly checkpoints?: CheckpointStore;
  readonly tasks?: TaskStore;
}

/** What one of several processes does. All data, since it crosses processes. */
export type Job = (handle: JobHandle, args: JsonObject) => Promise<JsonValue>;

/** How often one process looks whether another got on, 1 ms apart or more. */
const MOST_WAITS = 2_000;

/** Where a watch of this process has got to: resolves when it was called back. */
const watching = new WeakMap<JobHandle, Promise<void>>();

/** What the checks of several processes ask of them, by name. Each waits until `startAtMs`, so that all start at once. */
export const jobs: { readonly [name: string]: Job } = {
  /** Creates each of the keys, where nobody was faster. Gives what came of each. */
  create: starting(async (handle, { keys, by }) => {
    const outcomes: string[] = [];
    for (const key of keys as readonly string[]) {
      const put = storeOf(handle).put([key], { type: "json", value: by as JsonValue }, { ifVersion: null });
      outcomes.push(await put.then(outcomeOf, outcomeOf));
    }
    return outcomes;
  }),
  /** Adds one to a number, again and again, each time anew when somebody was faster. */
  count_up: starting(async (handle, { key, times }) => {
    const store = storeOf(handle);
    for (let done = 0; done < Number(times); ) {
      const record = await store.get([String(key)]);
      const count = record?.value.type === "json" ? Number(record.value.value) : 0;
      const value = { type: "json", value: count + 1 } as const;
      if (await unlessConflict(store.put([String(key)], value, { ifVersion: record?.version ?? null }))) done += 1;
    }
    return null;
  }),
  /** Writes so many records that nobody else writes. */
  write_own: starting(async (handle, { by, times }) => {
    for (let n = 0; n < Number(times); n++) {
      const value = { type: "text", text: `${by} ${n} `.repeat(100) } as const;
      await storeOf(handle).put([String(by), String(n)], value, { attributes: { by: String(by) } });
    }
    return null;
  }),
  /** Appends at each of the offsets, where nobody was faster. Gives what came of each. */
  append_at: starting(async (handle, { stream, offsets, by }) => {
    const outcomes: string[] = [];
    for (const expectedOffset of offsets as readonly number[]) {
      await headReaches(logOf(handle), String(stream), expectedOffset);
      const append = logOf(handle).append(String(stream), [by as JsonValue], { expectedOffset });
      outcomes.push(await append.then(outcomeOf, outcomeOf));
    }
    return outcomes;
  }),
  /** Appends two values so many times. Gives the offsets. */
  append_pairs: starting(async (handle, { stream, by, times }) => {
    const offsets: number[] = [];
    for (let n = 0; n < Number(times); n++) {
      offsets.push(await logOf(handle).append(String(stream), [`${by} ${n} first`, `${by} ${n} second`]));
    }
    return offsets;
  }),
  /** Appends under each of the keys. Gives the offsets. */
  append_once: starting(async (handle, { stream, keys }) => {
    const offsets: number[] = [];
    for (const idempotencyKey of keys as readonly string[]) {
      offsets.push(await logOf(handle).append(String(stream), [idempotencyKey, "more"], { idempotencyKey }));
    }
    return offsets;
  }),
  /**
   * Moves a thread on so many times: its log first, at the head that its record names, then its record. Who was too late
   * reads again. Gives how often the record had changed though the append had been done.
   */
  move_thread: starting(async (handle, { thread, by, times }) => {
    let forks = 0;
    let late = 0;
    for (let done = 0; done < Number(times); ) {
      const record = await storeOf(handle).get([String(thread)]);
      const head = record?.value.type === "json" ? Number(record.value.value) : 0;
      const append = logOf(handle).append(String(thread), [`${by} ${done}`], { expectedOffset: head });
      if (!(await unlessConflict(append))) {
        if (++late > MOST_WAITS) throw new CheckFailure(`nobody moved the thread on from ${head}, where its record is`);
        await systemClock.sleep(1);
        continue;
      }
      late = 0;
      done += 1;
      const value = { type: "json", value: head + 1 } as const;
      const put = storeOf(handle).put([String(thread)], value, { ifVersion: record?.version ?? null });
      if (!(await unlessConflict(put))) forks += 1;
    }
    return forks;
  }),
  /** Moves a thread of checkpoints on, see {@link moveCheckpoints}. */
  move_checkpoints: starting(({ checkpoints }, args) => {
    if (checkpoints === undefined) throw new TypeError("openAt: a handle with checkpoints is expected");
    return moveCheckpoints(checkpoints, args);
  }),
  /** Does tasks, see {@link doTasks}. */
  do_tasks: starting((handle, args) => doTasks(tasksOf(handle), args)),
  /** Takes turns at one task, see {@link takeTurns}. */
  take_turns: starting((handle, args) => takeTurns(tasksOf(handle), args)),
  /** Writes until the process is killed, and acknowledges each write. */
  chaos_write: (handle, { lanes, seed, parts }) =>
    writeUntilKilled(handle, lanes as unknown as readonly Lane[], Number(seed), parts as unknown as Parts),
  /** Writes until it is told to stop. Gives what was done. */
  chaos_write_beside: async (handle, { lanes, seed, parts }) => {
    const given = [lanes as unknown as readonly Lane[], Number(seed), parts as unknown as Parts] as const;
    return (await writeUntilStopped(handle, ...given)) as unknown as JsonValue;
  },
  chaos_stop: async (handle) => {
    stopWriting(handle);
    return null;
  },
  /** Watches a stream from now on. */
  watch: async (handle, { stream }) => {
    let onAppend: () => void = () => undefined;
    const called = new Promise<void>((resolve) => {
      onAppend = resolve;
    });
    watching.set(handle, called);
    await logOf(handle).watch?.(String(stream), onAppend);
    return null;
  },
  /** Waits until the watch was called back. */
  watched: async (handle) => {
    await watching.get(handle);
    return null;
  },
};

function starting(job: Job): Job {
  return async (handle, args) => {
    const waitMs = Number(args.startAtMs) - systemClock.now();
    if (waitMs > 0) await systemClock.sleep(waitMs);
    return job(handle, args);
  };
}

/** Whether it was done; not, when somebody was faster. @throws what else went wrong. */
async function unlessConflict(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (isTinyAgentsError(error, "conflict")) return false;
    throw error;
  }
}

async function headReaches(log: AppendStore, stream: string, offset: number): Promise<void> {
  for (let waits = 0; (await log.head(stream)) < offset; waits++) {
    if (waits > MOST_WAITS) throw new CheckFailure(`nobody has appended at ${offset - 1}`);
    await systemClock.sleep(1);
  }
}

function storeOf({ store }: JobHandle): Store {
  if (store === undefined) throw new TypeError("openAt: a handle with a store is expected");
  return store;
}

function logOf({ log }: JobHandle): AppendStore {
  if (log === undefined) throw new TypeError("openAt: a handle with a log is expected");
  return log;
}

function tasksOf({ tasks }: JobHandle): TaskStore {
  if (tasks === undefined) throw new TypeError("openAt: a handle with tasks is expected");
  return tasks;
}
