import type { RunStatus } from "../../agent/run.js";
import type { Phase } from "../../agent/state.js";
import type { ErrorRecord, LimitName } from "../../errors.js";
import type { JsonObject } from "../../json.js";
import type { CostTotals } from "../../model/cost.js";
import type { ContextEstimate } from "../../model/estimate.js";
import type { ResolvedModel } from "../../model/profile.js";
import type { ModelUsage, UsageTotals } from "../../model/usage.js";

/** How far a run is. `accepted`: somebody was told that it will be run, and it has not begun. The last three are ends. */
export const RUN_STATES = ["accepted", "running", "paused", "completed", "failed", "cancelled"] as const;

/** One of {@link RUN_STATES}. */
export type RunState = (typeof RUN_STATES)[number];

/** A call of a model or a tool that has begun and not ended. */
export interface ActiveCall {
  readonly callId: string;
  readonly type: "model" | "tool";
  /** The id of the model, or the name of the tool. */
  readonly name: string;
  readonly startedAtMs: number;
}

/** What was counted of a run. Model calls and tool calls are in its usage. */
export interface RunCounters {
  /** Calls that failed, of models and tools. */
  readonly failedModelCalls: number;
  readonly failedToolCalls: number;
  /** Attempts at calls that were repeated. */
  readonly retries: number;
  /** How often a call went on with another model. */
  readonly fallbacks: number;
  /** How often the model was told of a mistake of its own. */
  readonly corrections: number;
  /** Runs that were started below it. */
  readonly children: number;
  /** How often it went on after a pause or a crash. */
  readonly resumes: number;
}

/** What a run waits for. */
export type RunQuestion = { readonly id: string; readonly type: string; readonly callId?: string };

/** A run went on: after the event of this number, at this time of whoever moves it from then on, ms since 1970. */
export interface RunResumption {
  readonly seq: number;
  readonly timeMs: number;
}

/** Where a run is and what it has used, as far as its events have told. JSON. */
export interface RunStatusRecord {
  /** Format. */
  readonly v: 1;
  readonly runId: string;
  /** The run at the top of the tree; `runId` itself for that one. */
  readonly rootRunId: string;
  readonly parentRunId?: string;
  /** That of the run at the top. */
  readonly threadId?: string;
  /** The agent. */
  readonly component: string;
  readonly tags?: readonly string[];
  readonly metadata?: JsonObject;
  readonly state: RunState;
  /** Which move was due when its last event came. */
  readonly phase: Phase;
  /** How it came out, once it has. */
  readonly outcome?: RunStatus;
  readonly counters: RunCounters;
  readonly activeCalls: readonly ActiveCall[];
  /** That of the last model call, with the rung that chose it. */
  readonly model?: ResolvedModel;
  /** Its own calls, those that a crash made it repeat included. Runs below it have statuses of their own. */
  readonly usage: UsageTotals;
  readonly usageByModel: readonly ModelUsage[];
  /** `null` while no call has a price. */
  readonly cost: CostTotals | null;
  /** Model calls without a price, while no call had one. */
  readonly unpricedCalls: number;
  /** How full the context of the last model call was. */
  readonly context?: ContextEstimate;
  /** The limit that was reached last. */
  readonly limit?: { readonly limit: LimitName | "maxDepth"; readonly allowed: number };
  /** What it waits for, while it is paused. */
  readonly requests: readonly RunQuestion[];
  /** Why it failed or was cancelled. */
  readonly error?: ErrorRecord;
  /** The attempt of the last event that is in it, as events have it. Absent: 1. */
  readonly attempt?: number;
  /**
   * When it went on in that attempt: once, or more often where nobody could tell attempts apart, the last 32 times, oldest
   * first. Absent where it did not.
   */
  readonly resumptions?: readonly RunResumption[];
  /** The number of that event in its attempt; -1 before the first. */
  readonly lastSeq: number;
  /** Ms since 1970: when it was accepted or began, whichever came first. Orders listings. */
  readonly startedAtMs: number;
  /** When anything was last heard of it, by the clock of whoever moves it. One that runs and was not heard of for long is moved by nobody. */
  readonly updatedAtMs: number;
  readonly endedAtMs?: number;
}

/** Whether nothing more comes of a run, unless somebody resumes it. */
export function hasEnded(state: RunState): boolean {
  return state === "completed" || state === "failed" || state === "cancelled";
}
