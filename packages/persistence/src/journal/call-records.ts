import type {
  AgentEvent,
  Block,
  CallCost,
  ErrorRecord,
  EventEnvelope,
  EventType,
  FinishReason,
  JournalEntry,
  JsonObject,
  JsonValue,
  Message,
  OutputState,
  ResolvedModel,
  ToolStatus,
  Usage,
} from "@tinyagents/core";
import { currentEntries } from "./current-entries.js";

/** One call of a model. */
export interface ModelCallRecord {
  readonly runId: string;
  readonly callId: string;
  readonly state: "started" | "completed" | "failed";
  /** The model that answered, or was asked last; `failed` says which were asked before. */
  readonly model: ResolvedModel;
  /** ms since 1970. */
  readonly startedAtMs: number;
  readonly elapsedMs?: number;
  /** From the start to the first fragment. */
  readonly firstDeltaMs?: number;
  readonly attempts?: number;
  readonly finishReason?: FinishReason;
  /** What each model that was asked used, in order: more than one where models failed before. */
  readonly spent: readonly ModelCallSpent[];
  readonly error?: ErrorRecord;
  /** What was asked, where the journal keeps payloads. */
  readonly messages?: readonly Message[];
  /** What was answered, where the journal keeps payloads. */
  readonly content?: readonly Block[];
}

/** What one model used for a call. */
export interface ModelCallSpent {
  readonly model: ResolvedModel;
  /** Absent: the provider told none. */
  readonly usage?: Usage;
  /** Absent: nobody knows a price. */
  readonly cost?: CallCost;
}

/** One call of a tool that a model asked for. */
export interface ToolCallRecord {
  readonly runId: string;
  readonly callId: string;
  readonly tool: string;
  /** `started`: it has not ended, as far as the journal tells. */
  readonly state: "started" | ToolStatus;
  /** The call of the model that asked for it; absent for a call that did not begin. */
  readonly modelCallId?: string;
  /** ms since 1970; absent for a call that did not begin. */
  readonly startedAtMs?: number;
  readonly elapsedMs?: number;
  /** Where more than one. */
  readonly attempts?: number;
  readonly error?: ErrorRecord;
  /** The run of the agent that the tool is. */
  readonly childRunId?: string;
  /** Where the journal keeps payloads. */
  readonly args?: JsonObject;
  /** The result, where the journal keeps payloads. */
  readonly content?: readonly Block[];
}

/** One structured answer that fitted its schema. */
export interface OutputRecord {
  readonly runId: string;
  readonly strategy: OutputState["strategy"];
  /** Which of several schemas it fitted. */
  readonly variant?: number;
  /** ms since 1970. */
  readonly validatedAtMs: number;
  /** Where the journal keeps payloads. */
  readonly value?: JsonValue;
}

/** What the runs of a journal did, each kind in the order in which it was first told of. */
export interface CallRecords {
  readonly modelCalls: readonly ModelCallRecord[];
  readonly toolCalls: readonly ToolCallRecord[];
  readonly outputs: readonly OutputRecord[];
}

/**
 * The calls and structured answers that a journal tells of, one record each, made of what {@link currentEntries} keeps. A call
 * whose start is missing (in a gap, or because the entries do not begin at the start) has no record of a model's, and one of a
 * tool's from its end alone.
 *
 * @param entries in order, of any number of runs.
 */
export function callRecords(entries: readonly JournalEntry[]): CallRecords {
  const ledger = new Ledger();
  for (const entry of currentEntries(entries)) if (entry.type === "event") ledger.take(entry.event);
  return {
    modelCalls: [...ledger.modelCalls.values()],
    toolCalls: [...ledger.toolCalls.values()],
    outputs: ledger.outputs,
  };
}

class Ledger {
  readonly modelCalls: Map<string, ModelCallRecord> = new Map();
  readonly toolCalls: Map<string, ToolCallRecord> = new Map();
  readonly outputs: OutputRecord[] = [];

  take(event: AgentEvent): void {
    switch (event.type) {
      case "model.started": {
        const { callId, model, payload } = event.data;
        const { runId, timeMs: startedAtMs } = event;
        const begun = { runId, callId, state: "started", model, startedAtMs, spent: [], ...payload } as const;
        this.modelCalls.set(keyOf(event), begun);
        return;
      }
      case "fallback.selected":
        this.#updateModelCall(event, () => ({ model: event.data.selected }));
        return;
      case "model.completed": {
        const { model, finishReason, attempts, elapsedMs, firstDeltaMs, payload } = event.data;
        this.#updateModelCall(event, () => ({
          state: "completed",
          model,
          finishReason,
          attempts,
          elapsedMs,
          ...(firstDeltaMs === undefined ? {} : { firstDeltaMs }),
          ...(payload === undefined ? {} : { content: payload.content }),
        }));
        return;
      }
      case "model.failed": {
        const { model, error, elapsedMs } = event.data;
        this.#updateModelCall(event, () => ({ state: "failed", model, error, elapsedMs }));
        return;
      }
      case "usage.recorded": {
        const { callId: _, ...spent } = event.data;
        this.#updateModelCall(event, (call) => ({ spent: [...call.spent, spent] }));
        return;
      }
      case "cost.recorded": {
        // It comes right after the usage that it is the price of.
        const { cost } = event.data;
        if (cost === undefined) return;
        this.#updateModelCall(event, ({ spent }) => ({
          spent: spent.map((one, index) => (index === spent.length - 1 ? { ...one, cost } : one)),
        }));
        return;
      }
      case "tool.started": {
        const { tool, modelCallId, payload } = event.data;
        this.#putToolCall(event, { tool, state: "started", modelCallId, startedAtMs: event.timeMs, ...payload });
        return;
      }
      case "tool.completed": {
        const { tool, elapsedMs, attempts, payload } = event.data;
        const times = { elapsedMs, ...(attempts === undefined ? {} : { attempts }) };
        this.#putToolCall(event, { tool, state: "ok", ...times, ...payload });
        return;
      }
      case "tool.failed": {
        const { tool, status, elapsedMs, attempts, error } = event.data;
        const times = { elapsedMs, ...(attempts === undefined ? {} : { attempts }) };
        this.#putToolCall(event, { tool, state: status, ...times, ...(error === undefined ? {} : { error }) });
        return;
      }
      case "sub_agent.started": {
        const { agent, childRunId } = event.data;
        const tool = this.toolCalls.get(keyOf(event))?.tool ?? agent;
        this.#putToolCall(event, { state: "started", tool, childRunId });
        return;
      }
      case "output.validated": {
        const { strategy, variant, payload } = event.data;
        const which = variant === undefined ? {} : { variant };
        this.outputs.push({ runId: event.runId, strategy, ...which, validatedAtMs: event.timeMs, ...payload });
        return;
      }
    }
  }

  #updateModelCall(event: CallEvent, newsOf: (before: ModelCallRecord) => Partial<ModelCallRecord>): void {
    const key = keyOf(event);
    const before = this.modelCalls.get(key);
    if (before !== undefined) this.modelCalls.set(key, { ...before, ...newsOf(before) });
  }

  #putToolCall(event: CallEvent, news: Omit<ToolCallRecord, "runId" | "callId">): void {
    const key = keyOf(event);
    const before = this.toolCalls.get(key);
    this.toolCalls.set(key, { runId: event.runId, callId: event.data.callId, ...before, ...news });
  }
}

/** An event about one call. */
type CallEvent = {
  [T in EventType]: EventEnvelope<T> extends { readonly data: { readonly callId: string } } ? EventEnvelope<T> : never;
}[EventType];

function keyOf({ runId, data }: CallEvent): string {
  return JSON.stringify([runId, data.callId]);
}
