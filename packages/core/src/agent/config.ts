import type { JsonObject } from "../json.js";
import type { ModelSelection } from "../model/request.js";
import type { ResolvedLimits } from "./limits.js";
import type { UnknownToolPolicy } from "./run-policy.js";

/** Who a run is and under what terms it runs. Plain data, never changed. */
export interface RunConfig {
  readonly runId: string;
  /** The run at the top of the tree; `runId` itself for that one. */
  readonly rootRunId: string;
  readonly parentRunId?: string;
  /** The thread that it belongs to, as all runs below it do. The run at the top alone remembers it. */
  readonly threadId?: string;
  /** 0 for a run that no other run started. */
  readonly depth: number;
  readonly tags: readonly string[];
  readonly metadata: JsonObject;
  /** Settings that the application reads: routes, flags. */
  readonly configurable: JsonObject;
  readonly limits: ResolvedLimits;
  /** In place of its agent's policy: what to do about a call for a tool that is not offered. */
  readonly unknownTool?: UnknownToolPolicy;
  /** Which model the run wants. Stands before the agent's settings. */
  readonly selection?: ModelSelection;
}
