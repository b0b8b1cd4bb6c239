import type { Control } from "../agent/control.js";
import type { RunStatus } from "../agent/run.js";
import type { OutputState } from "../agent/state.js";
import type { ErrorCode, ErrorRecord, LimitName } from "../errors.js";
import type { JsonObject, JsonValue } from "../json.js";
import type { Block } from "../message/block.js";
import type { HistoryProblem } from "../message/check-history.js";
import type { Message, ToolStatus } from "../message/message.js";
import type { HookName, ToolValidation } from "../middleware/middleware.js";
import type { SkippedModel } from "../model/choose-model.js";
import type { CallCost } from "../model/cost.js";
import type { FinishReason, ModelDelta, ModelWarning } from "../model/delta.js";
import type { ContextEstimate } from "../model/estimate.js";
import type { ResolvedModel } from "../model/profile.js";
import type { Usage } from "../model/usage.js";
import type { StoreEventData } from "../store/observed.js";

/**
 * The data of each event. What people and models said is in `payload`, which is there only for a sink that asks for
 * payloads. An error's message counts as said.
 */
export interface EventData extends StoreEventData {
  /** A run begins, or goes on after a pause or a crash (`resumed`). */
  "run.started": {
    readonly agent: string;
    readonly resumed: boolean;
    readonly payload?: { readonly messages: readonly Message[] };
  };
  /** The one end of a run that has an outcome. */
  "run.completed": { readonly status: RunStatus; readonly payload?: { readonly text: string } };
  /** The one end of a run that failed or was cancelled. */
  "run.failed": { readonly error: ErrorRecord };
  /** The run waits for answers; it has not ended. */
  "run.paused": {
    readonly requests: readonly { readonly id: string; readonly type: string; readonly callId?: string }[];
  };
  /** A call chose its model, where it had a choice to make. `skipped`: those that stood before it, and why not they. */
  "model.selected": {
    readonly callId: string;
    readonly model: ResolvedModel;
    readonly skipped: readonly SkippedModel[];
  };
  "model.started": {
    readonly callId: string;
    readonly model: ResolvedModel;
    readonly payload?: { readonly messages: readonly Message[] };
  };
  /** Only for sinks that ask for deltas. `chars` is what came, in characters. */
  "model.delta": {
    readonly callId: string;
    readonly deltaType: ModelDelta["type"];
    readonly chars: number;
    readonly payload?: { readonly delta: ModelDelta };
  };
  "model.completed": {
    readonly callId: string;
    readonly model: ResolvedModel;
    readonly finishReason: FinishReason;
    readonly attempts: number;
    readonly elapsedMs: number;
    /** As in a response's `timing`. `waitedMs`: where there was a wait. */
    readonly firstDeltaMs?: number;
    readonly waitedMs?: number;
    readonly usage?: Usage;
    /** How full the model's context was, by the tokens of input that its last attempt told; absent when it told none. */
    readonly context?: ContextEstimate;
    /** What the provider could not honour, or said beside its answer. Their words are in the payload. */
    readonly warnings?: readonly Omit<ModelWarning, "message">[];
    readonly payload?: { readonly content: readonly Block[]; readonly warnings?: readonly ModelWarning[] };
  };
  "model.failed": {
    readonly callId: string;
    readonly model: ResolvedModel;
    readonly error: ErrorRecord;
    readonly elapsedMs: number;
  };
  "usage.recorded": { readonly callId: string; readonly model: ResolvedModel; readonly usage?: Usage };
  "cost.recorded": { readonly callId: string; readonly model: ResolvedModel; readonly cost?: CallCost };
  "retry.scheduled": {
    readonly callId: string;
    readonly attempt: number;
    readonly delayMs: number;
    readonly code: ErrorCode;
  };
  /** The call goes on with another model. `code`: of the failure that made it. */
  "fallback.selected": {
    readonly callId: string;
    readonly failed: ResolvedModel;
    readonly selected: ResolvedModel;
    readonly code: ErrorCode;
  };
  /** A call that has passed its checks begins. `modelCallId`: the call of the model that asked for it. */
  "tool.started": {
    readonly callId: string;
    readonly tool: string;
    readonly modelCallId: string;
    readonly validation: ToolValidation;
    readonly label?: string;
    readonly payload?: { readonly args: JsonObject };
  };
  /** Only for sinks that ask for deltas. */
  "tool.delta": { readonly callId: string; readonly tool: string; readonly payload?: { readonly delta: JsonValue } };
  /** The end of a call that ran and gave a result. */
  "tool.completed": {
    readonly callId: string;
    readonly tool: string;
    readonly elapsedMs: number;
    /** Where more than one. */
    readonly attempts?: number;
    readonly chars: number;
    readonly payload?: { readonly content: readonly Block[] };
  };
  /** The end of a call that failed, was refused, or did not run: `status` says which. */
  "tool.failed": {
    readonly callId: string;
    readonly tool: string;
    readonly status: ToolStatus;
    readonly elapsedMs: number;
    /** Where more than one. */
    readonly attempts?: number;
    readonly error?: ErrorRecord;
  };
  /** A call for a tool that is not offered: what was asked for, and what was done about it. */
  "tool.unknown": {
    readonly callId: string;
    readonly tool: string;
    readonly recovery: string;
    readonly payload?: { readonly args: JsonObject };
  };
  "approval.requested": {
    readonly requestId: string;
    readonly callId: string;
    readonly tool: string;
    readonly payload?: { readonly args: JsonObject };
  };
  "approval.granted": {
    readonly requestId: string;
    readonly callId: string;
    readonly tool: string;
    readonly by?: string;
  };
  "approval.denied": {
    readonly requestId: string;
    readonly callId: string;
    readonly tool: string;
    readonly by?: string;
    readonly reason?: string;
  };
  "middleware.started": { readonly middleware: string; readonly hook: HookName };
  "middleware.completed": { readonly middleware: string; readonly hook: HookName };
  "middleware.failed": { readonly middleware: string; readonly hook: HookName; readonly error: ErrorRecord };
  /** A control was honoured. */
  "control.applied": { readonly control: Control["type"]; readonly by: string };
  /** All but `maxDepth` end the run, or lead to its last answer; `maxDepth` fails the one call that would go too deep. */
  "limit.reached": { readonly limit: LimitName | "maxDepth"; readonly allowed: number };
  /** The model was told of a mistake of its own. */
  "correction.requested": {
    readonly kind: "unknown_tool" | "arguments" | "output";
    readonly used: number;
    readonly allowed: number;
  };
  "no_progress.detected": { readonly repeats: number; readonly action: "hint" | "refuse" | "stop" };
  "history.repaired": { readonly problems: readonly HistoryProblem[] };
  "history.edited": { readonly by: string; readonly removed: number; readonly added: number };
  "memory.loaded": { readonly messages: number };
  "memory.saved": { readonly messages: number };
  "output.validated": {
    readonly strategy: OutputState["strategy"];
    readonly variant?: number;
    readonly payload?: { readonly value: JsonValue };
  };
  "sub_agent.started": {
    readonly childRunId: string;
    readonly agent: string;
    readonly callId: string;
    readonly depth: number;
  };
  "sub_agent.completed": {
    readonly childRunId: string;
    readonly agent: string;
    readonly callId: string;
    readonly status: RunStatus;
  };
  /** From tools, middleware and applications. */
  custom: { readonly name: string; readonly payload?: JsonValue };
}

/** Names of events: what happened, dotted and past. */
export type EventType = keyof EventData;

/** One event. Envelopes are plain JSON. */
export interface EventEnvelope<T extends EventType> {
  /** Format. */
  readonly v: 1;
  /**
   * `<runId>/<seq>`, for fragments `<runId>/<seq>.<n>`: the same when the run is replayed. What a run tells once more when it is
   * resumed has the id that it had, and a higher `attempt`.
   */
  readonly id: string;
  /** Rises by one per event of a run, whether or not anybody listened to those before; fragments have that of the event before them. */
  readonly seq: number;
  /** That of the run's state when it was told. An event of a run is known by its `id` and this. */
  readonly attempt: number;
  /** Milliseconds since 1970. */
  readonly timeMs: number;
  readonly type: T;
  readonly runId: string;
  readonly rootRunId: string;
  readonly parentRunId?: string;
  readonly threadId?: string;
  /** The agent. */
  readonly component: string;
  /** Those of the run's config; absent when it has none. */
  readonly tags?: readonly string[];
  readonly metadata?: JsonObject;
  readonly data: EventData[T];
}

/** Any event, told apart by `type`. */
export type AgentEvent = { [T in EventType]: EventEnvelope<T> }[EventType];
