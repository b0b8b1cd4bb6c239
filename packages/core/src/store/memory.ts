import type { JsonObject } from "../json.js";
import type { Message } from "../message/message.js";
import type { StoreCallOptions } from "./call-options.js";
import type { StoreVersion } from "./store.js";

/** What a thread remembers between runs. */
export interface ThreadState {
  readonly v: 1;
  /** The history, without system messages: those are the agent's, not the thread's. */
  readonly messages: readonly Message[];
  /** What middleware keeps per thread, by its name. */
  readonly middleware?: JsonObject;
  /**
   * The run that saved it. A memory keeps it as it is, whatever else it changes: by it a run that was killed after it had
   * saved finds that it had. Absent where the state was made by hand, or by an earlier version.
   */
  readonly savedBy?: ThreadSaver;
}

/** A run as a thread knows it. */
export interface ThreadSaver {
  readonly runId: string;
  /** Ms since 1970: of two runs that were given one id, it tells which. */
  readonly startedAtMs: number;
}

/** On what terms a thread is saved. */
export interface SaveOptions {
  /** The version that was loaded, `null` for a new thread. */
  readonly ifVersion: StoreVersion | null;
  /**
   * Stops what comes before the write. The write itself goes on to its end, so that a run that was cancelled has not
   * saved its thread all the same.
   */
  readonly signal?: AbortSignal | undefined;
}

/** The memory of threads: loaded when a run starts, saved when it has succeeded, never in between. */
export interface ShortTermMemory {
  /** The thread's state and its version; nothing for a new thread. */
  load(
    threadId: string,
    options?: StoreCallOptions,
  ): Promise<{ readonly state: ThreadState; readonly version: StoreVersion } | undefined>;
  /**
   * Replaces the thread's state.
   * @throws `conflict` when another run has saved the thread since.
   */
  save(threadId: string, state: ThreadState, options: SaveOptions): Promise<StoreVersion>;
}
