import type { ErrorRecord, LimitName } from "../errors.js";
import type { JsonObject, JsonValue } from "../json.js";
import type { Message, ToolMessage } from "../message/message.js";
import type { CostTotals } from "../model/cost.js";
import type { FinishReason } from "../model/delta.js";
import type { ModelUsage, UsageTotals } from "../model/usage.js";
import type { PauseRequest } from "./approval.js";
import type { RunConfig } from "./config.js";

/** Phases in which a move is due. */
export const DUE_PHASES = [
  "start",
  "dispatch",
  "parse",
  "stop_check",
  "tools",
  "compact",
  "validate",
  "limit",
  "finalize",
] as const;

/** Phases in which nothing is due any more, unless somebody resumes the run. */
export const END_PHASES = ["paused", "done", "failed"] as const;

/**
 * Which move is due. `start` loads memory; `dispatch` calls the model; `parse` reads its answer; `tools` runs a batch
 * of calls; `stop_check` decides whether to go on; `compact` applies edits of the history that middleware asked for;
 * `validate` checks a structured answer; `limit` deals with a limit that was hit; `finalize` saves memory. The last
 * three are ends: nothing is due in them.
 */
export type Phase = (typeof DUE_PHASES)[number] | (typeof END_PHASES)[number];

/** What a run has counted. */
export interface Counters {
  readonly steps: number;
  readonly modelCalls: number;
  readonly toolCalls: number;
  readonly retries: number;
  readonly corrections: number;
}

/** One call of a batch, and how far it is. */
export interface BatchCall {
  readonly callId: string;
  /** There when the call is finished, however. */
  readonly result?: ToolMessage;
  /** The call asked for a pause. `request` is gone once it is answered. */
  readonly waiting?: { readonly requestId?: string; readonly state?: JsonValue; readonly answers?: JsonObject };
  /** Somebody agreed to this call, with exactly these arguments (canonical JSON). */
  readonly approvedArgsJson?: string;
}

/** The calls of one assistant message, in its order. */
export interface ToolBatch {
  readonly modelCallId: string;
  readonly calls: readonly BatchCall[];
}

/** A change of the recorded history: the messages from `from` up to, not including, `to` become `messages`. */
export interface HistoryEdit {
  readonly from: number;
  readonly to: number;
  readonly messages: readonly Message[];
  /** Who asked, for the record. */
  readonly by: string;
}

/** A batch as loop detection remembers it. */
export interface BatchTrace {
  /** Hash of names and arguments, below 2^53. */
  readonly calls: number;
  /** Hash of results; `null` until the same calls were made again, for they stand in the history. */
  readonly results: number | null;
  /** Where in the history its results begin. */
  readonly place: number;
}

/**
 * A run as data: everything that is needed to go on in another process. JSON. Whoever hands it to `step` must not use
 * it again: `step` may extend it in place.
 */
export interface AgentState {
  /** Format. */
  readonly v: 1;
  /** Name of the agent that it belongs to. */
  readonly agent: string;
  readonly phase: Phase;
  readonly config: RunConfig;
  /** The history: a system message first when the agent has one, then memory, then this run. */
  readonly messages: readonly Message[];
  /** Index of the first message that is new in this run. */
  readonly newFrom: number;
  readonly counters: Counters;
  /** Own model calls. */
  readonly usage: UsageTotals;
  /** Those of sub-agents, theirs included. */
  readonly childUsage: UsageTotals;
  /** Own and children's, by model. */
  readonly usageByModel: readonly ModelUsage[];
  readonly cost: CostTotals | null;
  /** Model calls without a price, while no call had one. */
  readonly unpricedCalls: number;
  /** The number of the next event. */
  readonly seq: number;
  /** Which taking up of the run this is: absent for the first, which is 1, and higher each time that the run is resumed. */
  readonly attempt?: number;
  /** Milliseconds since 1970. */
  readonly startedAtMs: number;
  /** How long it has been running, pauses left out, up to the last step, ms. */
  readonly elapsedMs: number;
  /** What middleware keeps, by its name. */
  readonly middleware: JsonObject;
  /** The version of the thread's memory that was loaded; `null` when there was none. */
  readonly memoryVersion: string | null;
  /** The model call before. */
  readonly lastResponse: LastResponse | null;
  /** The calls that are being run. */
  readonly batch: ToolBatch | null;
  /** Edits of the history that are due. */
  readonly edits: readonly HistoryEdit[];
  /** The last batches, oldest first; as many as loop detection looks back. */
  readonly recentBatches: readonly BatchTrace[];
  /** How many batches in a row repeated an earlier one without a new result. */
  readonly repeats: number;
  readonly limit: { readonly limit: LimitName; readonly allowed: number } | null;
  /** The run was told to end and asks for its last answer, without tools. */
  readonly finalizing: boolean;
  readonly output: OutputState | null;
  readonly stop: RunStop | null;
  /** Answers to what middleware asked, by its name, until it asks again. */
  readonly answers: JsonObject;
  /** What a paused run waits for. */
  readonly requests: readonly PauseRequest[];
  /** Where a paused or failed run goes on when it is resumed. */
  readonly resumeAt: Phase | null;
  readonly error: ErrorRecord | null;
}

/** What the loop remembers of the last answer. */
export interface LastResponse {
  readonly callId: string;
  readonly finishReason: FinishReason;
  readonly rawFinishReason?: string;
  /** Names of the tools that were offered, where middleware offered others than the agent's. */
  readonly offered?: readonly string[];
}

/** The ways to have a structured answer. */
export const OUTPUT_STRATEGIES = ["native", "tool", "prompt"] as const;

/** A structured answer, and how it was had. */
export interface OutputState {
  readonly strategy: (typeof OUTPUT_STRATEGIES)[number];
  /** What still has to be checked: the text, or the arguments of the forced call. */
  readonly candidate?: { readonly text: string; readonly value?: JsonValue; readonly callId?: string };
  readonly value?: JsonValue;
  /** Which variant of a union matched: its place in `anyOf` or `oneOf`, from 0. */
  readonly variant?: number;
}

/** What can end a run before the model is done. */
export const RUN_STOPPERS = ["tool", "middleware", "limit"] as const;

/** Why a run ended before the model was done. */
export interface RunStop {
  readonly by: (typeof RUN_STOPPERS)[number];
  /** Name of the tool or middleware, or the limit. */
  readonly name: string;
  readonly payload?: JsonValue;
}

/** Whether nothing is due any more, unless somebody resumes the run. */
export function isEnd(phase: Phase): boolean {
  return phase === "done" || phase === "failed" || phase === "paused";
}
