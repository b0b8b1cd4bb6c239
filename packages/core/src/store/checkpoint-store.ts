import type { JsonObject, JsonValue } from "../json.js";
import type { StoreCallOptions } from "./call-options.js";
import type { LogCapabilities } from "./capabilities.js";
import type { Page } from "./store.js";

/** One lineage of checkpoints: a thread, and which graph of it. */
export interface CheckpointThread {
  readonly threadId: string;
  /** `""` for the outermost graph, else the place of a graph inside it. */
  readonly namespace: string;
}

/** What is known of a checkpoint without restoring it. */
export interface CheckpointMeta extends CheckpointThread {
  /** Format. */
  readonly v: 1;
  /** Used once in its lineage. */
  readonly checkpointId: string;
  /** The checkpoint that this one came from; `null` for the first. A parent that is not the newest makes a fork. */
  readonly parentId: string | null;
  /** The oldest checkpoint on the way back whose changes are needed to restore this one; its own id when it holds everything. */
  readonly baseId: string;
  /** How many supersteps were done. */
  readonly step: number;
  /** Milliseconds since 1970. */
  readonly createdAtMs: number;
  /** What listings show: the graph and its version, the run, which nodes come next. */
  readonly metadata: JsonObject;
}

/** A checkpoint as it is stored. Never changed. */
export interface CheckpointRow extends CheckpointMeta {
  /** What changed since the parent, or, of a base, everything. It belongs to whoever writes checkpoints. */
  readonly changes: JsonValue;
}

/** What a finished or paused task of the next superstep has left, so that it need not run again. */
export interface TaskWrites {
  readonly taskId: string;
  /** What it wrote to channels, in its order. Absent: it has not finished. */
  readonly writes?: readonly JsonValue[];
  /** What else is to be known of it, by name: questions that it asked, its failure. */
  readonly control?: JsonObject;
}

/** What it takes to restore a checkpoint. */
export interface CheckpointChain {
  /** From the base to the checkpoint, each the parent of the next. */
  readonly rows: readonly CheckpointRow[];
  /** What tasks have left since, by the order in which they first left something. */
  readonly tasks: readonly TaskWrites[];
  /** The newest checkpoint of the lineage. */
  readonly headId: string;
}

/** On what terms a lineage is written. */
export interface CheckpointTerms {
  /** The number of the owner, see `claim`. Absent: the writer is none, and the lineage must have none. */
  readonly fence?: number | undefined;
}

/** Which checkpoints to list. */
export interface CheckpointQuery {
  /** Only those that were stored before this one. */
  readonly before?: string | undefined;
  /** At most this many. Default 100. */
  readonly limit?: number | undefined;
}

/**
 * The checkpoints of threads, as rows that are added and never changed. All methods throw `invalid_request`, which names the
 * place, for arguments that cannot be, `corrupt_data` for rows that are damaged, and `store_failed` when the backend fails.
 */
export interface CheckpointStore {
  readonly capabilities: Pick<LogCapabilities, "durable" | "multiProcess">;
  /**
   * Adds a checkpoint, which becomes the head. Adding the head once more does nothing.
   * @throws `conflict` when another checkpoint is the head (`null`: when there is any), or the lineage has a newer owner;
   * `invalid_request` for an id that was used, a parent that is not there, and a base that is not on the way back.
   */
  append(
    row: CheckpointRow,
    terms: CheckpointTerms & { readonly expectedHead: string | null },
    options?: StoreCallOptions,
  ): Promise<void>;
  /**
   * Keeps what a task left after a checkpoint, which must be the head. The writes of a task are kept once: the same again do
   * nothing. What is under a name in `control` replaces what was there, and touches no writes.
   * @throws `conflict` when the checkpoint is the head no longer, the lineage has a newer owner, or the task has other writes.
   */
  putWrites(
    task: CheckpointThread & { readonly checkpointId: string } & TaskWrites,
    terms?: CheckpointTerms,
    options?: StoreCallOptions,
  ): Promise<void>;
  /**
   * From now on a writer with a lower number, or without one, is refused. Whoever leases threads counts owners up.
   * @throws `conflict` when there is a higher number already.
   */
  claim(thread: CheckpointThread, fence: number, options?: StoreCallOptions): Promise<void>;
  /** What restores a checkpoint, by default the head; nothing where there is no such one. */
  load(
    thread: CheckpointThread,
    options?: { readonly checkpointId?: string | undefined } & StoreCallOptions,
  ): Promise<CheckpointChain | undefined>;
  /** Checkpoints in the order in which they were stored, the newest first. */
  list(thread: CheckpointThread, query?: CheckpointQuery & StoreCallOptions): Promise<readonly CheckpointMeta[]>;
  /** Ids of threads, in an order that stays. At most 100 a page by default. */
  threads(
    query?: { readonly cursor?: string | undefined; readonly limit?: number | undefined } & StoreCallOptions,
  ): Promise<Page<string>>;
  /** The graphs of a thread that have checkpoints, or were claimed. */
  namespaces(threadId: string, options?: StoreCallOptions): Promise<readonly string[]>;
  /** Whether there was a thread to take away. Its outermost graph goes last: a thread that is half deleted is still listed. */
  deleteThread(threadId: string, options?: StoreCallOptions): Promise<boolean>;
  /**
   * Copies all checkpoints of a thread, and what tasks left, to one that is empty; owners are not copied. Each graph of the copy
   * restores nothing and takes no writes until it is whole, and the outermost one is whole last: where it restores, all do. A copy
   * that was stopped half-way, by a killed process too, is listed as a thread at most, and has to be deleted.
   * @throws `conflict` when the other thread is not empty, or this one was deleted or pruned meanwhile; `invalid_request`
   * when this one has no checkpoints.
   */
  copyThread(threadId: string, toThreadId: string, options?: StoreCallOptions): Promise<void>;
  /**
   * Drops checkpoints that none of the newest `keep`, from 1 up, needs: at least all that were stored before the first that is
   * needed. Gives how many. What was dropped is no parent any more; its ids stay used.
   */
  prune(thread: CheckpointThread, query: { readonly keep: number } & StoreCallOptions): Promise<number>;
}
