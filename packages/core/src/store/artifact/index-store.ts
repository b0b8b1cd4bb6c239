import type { StoreCallOptions } from "../call-options.js";
import type { Page, Store, StoreKey } from "../store.js";
import type { ArtifactFacts, ArtifactRecord } from "./artifact.js";

/** Which artifacts to list, by when they were made. At most one of `runId`, `rootRunId` and `threadId`. */
export interface ArtifactQuery {
  readonly runId?: string | undefined;
  /** Those of a run and of all below it. */
  readonly rootRunId?: string | undefined;
  readonly threadId?: string | undefined;
  /** Those of exactly this name. */
  readonly name?: string | undefined;
  /** Default `ascending`: oldest first. */
  readonly order?: "ascending" | "descending" | undefined;
  /** At most this many. Default 100. */
  readonly limit?: number | undefined;
  /** Go on after an earlier page. */
  readonly cursor?: string | undefined;
}

/** An artifact that is to be kept. */
export interface NewArtifact extends ArtifactFacts {
  readonly data: string | Uint8Array;
  /** Default: a new one, under the run's id. What is there is replaced. */
  readonly key?: StoreKey | undefined;
}

/** What a sweep did. */
export interface SweptArtifacts {
  /** Contents that the index did not know, or knew an older version of. */
  readonly indexed: number;
  /** Entries of the index whose content is gone. */
  readonly dropped: number;
  /** Where to go on; absent when all has been looked at. */
  readonly cursor?: string;
}

/**
 * Knows which artifacts runs have made, and where their contents are. Content is written before its entry and taken away
 * before it, so that a killed process leaves content that is not listed, or an entry without content, and nothing else: a
 * sweep puts both right.
 *
 * All methods throw `invalid_request` for arguments that cannot be, `corrupt_data` and `version_mismatch` for stored
 * records that cannot be read, and what the stores below throw.
 */
export interface ArtifactIndex {
  /**
   * The store of the contents, to be given to runs as `artifacts`: what their tools save through it is in the index. Records
   * whose attributes name no run go through it as they are. Its records do not expire.
   */
  readonly store: Store;
  /** Keeps what an artifact is and where its content lies. */
  save(artifact: NewArtifact, options?: StoreCallOptions): Promise<ArtifactRecord>;
  /** What is known of an artifact; nothing when there is none. */
  get(key: StoreKey, options?: StoreCallOptions): Promise<ArtifactRecord | undefined>;
  /** Artifacts in the order that is asked for, a page at a time. */
  list(query?: ArtifactQuery, options?: StoreCallOptions): Promise<Page<ArtifactRecord>>;
  /** Takes content and entry away. Whether there was any of them. */
  delete(key: StoreKey, options?: StoreCallOptions): Promise<boolean>;
  /** Looks at no more than `limit` contents or entries (default 20), from a cursor on. Runs may go on meanwhile. */
  sweep(
    options?: { readonly cursor?: string | undefined; readonly limit?: number | undefined } & StoreCallOptions,
  ): Promise<SweptArtifacts>;
}
