import type { JsonObject } from "../json.js";
import type { Message } from "../message/message.js";
import type { StoreVersion } from "./store.js";

/** What a thread remembers between runs. */
export interface ThreadState {
  readonly v: 1;
  /** The history, without system messages: those are the agent's, not the thread's. */
  readonly messages: readonly Message[];
  /** What middleware keeps per thread, by its name. */
  readonly middleware?: JsonObject;
}

/** The memory of threads: loaded when a run starts, saved when it has succeeded, never in between. */
export interface ShortTermMemory {
  /** The thread's state and its version; nothing for a new thread. */
  load(threadId: string): Promise<{ readonly state: ThreadState; readonly version: StoreVersion } | undefined>;
  /**
   * Replaces the thread's state. `ifVersion`: the version that was loaded, `null` for a new thread.
   * @throws `conflict` when another run has saved the thread since.
   */
  save(
    threadId: string,
    state: ThreadState,
    options: { readonly ifVersion: StoreVersion | null },
  ): Promise<StoreVersion>;
}
