import type { JsonObject } from "../../json.js";
import type { StoreCallOptions } from "../call-options.js";
import type { Page, StoreVersion } from "../store.js";
import type { RunState, RunStatusRecord } from "./run-status.js";

/** A run that somebody promises to run. */
export interface RunAdmission {
  readonly runId: string;
  /** Default: `runId`. */
  readonly rootRunId?: string | undefined;
  readonly parentRunId?: string | undefined;
  readonly threadId?: string | undefined;
  /** The agent. */
  readonly component: string;
  readonly tags?: readonly string[] | undefined;
  readonly metadata?: JsonObject | undefined;
}

/** Which runs to list, by when they were accepted or began. */
export interface RunStatusQuery {
  /** Runs of a thread, and all below them. Not together with `rootRunId`. */
  readonly threadId?: string | undefined;
  /** A run and all below it. */
  readonly rootRunId?: string | undefined;
  /** Runs in one of these states. Without `threadId` and `rootRunId` there may be one only. */
  readonly states?: readonly RunState[] | undefined;
  /** Default `ascending`: oldest first. */
  readonly order?: "ascending" | "descending" | undefined;
  /** At most this many. Default 100. */
  readonly limit?: number | undefined;
  /** Go on after an earlier page. */
  readonly cursor?: string | undefined;
}

/** A status, and the version that a write of it expects. */
export interface StoredRunStatus {
  readonly status: RunStatusRecord;
  readonly version: StoreVersion;
}

/**
 * Where runs are, for whoever watches many of them. It is told by events and may lag behind: the run's recorder has the
 * truth, and nothing is resumed from here.
 *
 * All methods throw `invalid_request` for arguments that cannot be, `corrupt_data` and `version_mismatch` for stored
 * records that cannot be read, and what the store below throws.
 */
export interface RunStatusStore {
  /**
   * Notes a run before anybody is promised that it will be run: whoever recovers after a crash finds it among those in
   * state `accepted`. @throws `conflict` when there is a run of this id.
   */
  accept(admission: RunAdmission, options?: StoreCallOptions): Promise<StoredRunStatus>;
  /** The status of a run; nothing when none was kept. */
  get(runId: string, options?: StoreCallOptions): Promise<StoredRunStatus | undefined>;
  /**
   * Replaces a status. `ifVersion`: the version that was read, `null` for a run without one.
   * @throws `conflict` when somebody else has written it since.
   */
  save(
    status: RunStatusRecord,
    options: { readonly ifVersion: StoreVersion | null } & StoreCallOptions,
  ): Promise<StoreVersion>;
  /** Statuses in the order that is asked for, a page at a time. */
  list(query?: RunStatusQuery, options?: StoreCallOptions): Promise<Page<RunStatusRecord>>;
  /** Whether there was a status to take away. Those of runs below it stay. */
  delete(runId: string, options?: StoreCallOptions): Promise<boolean>;
}
