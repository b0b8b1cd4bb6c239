import type { RunContext } from "../agent/context.js";
import type { JsonObject, JsonValue } from "../json.js";
import type { ArtifactReference } from "../message/message.js";
import type { ToolSpec } from "./spec.js";

/** What a tool is given besides its input. No model sees any of it. */
export interface ToolRuntime {
  readonly callId: string;
  /** The same when the call is run again after a crash, and different for every other call. */
  readonly idempotencyKey: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
  readonly spec: ToolSpec;
  /** Aborts when the run is cancelled or the call's time is up. Made when first read. */
  readonly signal: AbortSignal;
  /** The application's own data, as the run was given it. Narrow it with a type of your own. */
  readonly data: unknown;
  /** The run: its config, stores, events, and what a nested run inherits. */
  readonly run: RunContext;
  /** Reports progress: to watchers, through `onToolDelta` hooks. Never part of the result. */
  progress(delta: JsonValue): void;
  /**
   * Puts bytes or text into the run's artifact store and gives what refers to them.
   * @throws `invalid_request` when the run has no artifact store.
   */
  saveArtifact(artifact: {
    readonly data: string | Uint8Array;
    readonly mediaType: string;
    readonly name?: string;
  }): Promise<ArtifactReference>;
  /** Set when this call had paused the run with a state and goes on now. */
  readonly resumed: { readonly state: JsonValue; readonly answers: JsonObject } | undefined;
}
