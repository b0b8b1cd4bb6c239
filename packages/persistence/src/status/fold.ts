import type { AgentEvent, EventData, EventType, Phase, RunResumption, RunStatusRecord } from "@tinyagents/core";
import { statusBefore } from "./new-status.js";
import { countCost, countUsage } from "./spent.js";

type Fold<T extends EventType> = (status: RunStatusRecord, data: EventData[T], event: AgentEvent) => RunStatusRecord;

/**
 * The status of a run after one more of its events. Pure, and the same for events with and without payloads, but for the
 * words of errors. Events of other runs, fragments, and events that are in it already change nothing, nor does what earlier
 * attempts tell. A run that goes on after a crash repeats what was not recorded; what it had used before stays counted, since
 * it was used. Attempts and numbers say what comes after what, and never times: a run may go on where the clock is behind.
 *
 * @param status absent for a run of which nothing is known.
 */
export function foldRunStatus(status: RunStatusRecord | undefined, event: AgentEvent): RunStatusRecord {
  const before = status ?? statusBefore(event);
  if (event.runId !== before.runId || !isNews(before, event)) return before;
  const current = inAttempt(before, event.attempt);
  const begun: RunStatusRecord = current.state === "accepted" ? { ...current, state: "running" } : current;
  const fold = Object.hasOwn(FOLDS, event.type) ? (FOLDS[event.type] as Fold<EventType> | undefined) : undefined;
  const after = fold === undefined ? begun : fold(begun, event.data, event);
  // Whoever goes on with a run has a clock of its own.
  const knownAtMs = isResumption(event) ? event.timeMs : before.updatedAtMs;
  return { ...after, lastSeq: event.seq, updatedAtMs: Math.max(knownAtMs, event.timeMs) };
}

/** How many resumptions in one attempt a status knows: one that comes again is told by them. */
const MOST_RESUMPTIONS = 32;

/** A run that goes on after a crash starts again behind events that were told of it before, and in a higher attempt. */
function isNews(status: RunStatusRecord, event: AgentEvent): boolean {
  if (event.type === "model.delta" || event.type === "tool.delta") return false;
  const later = event.attempt - attemptOf(status);
  if (later !== 0) return later > 0;
  if (event.seq > status.lastSeq) return true;
  return isResumption(event) && !status.resumptions?.some(isAt(event));
}

/** Whether an event says that its run goes on. */
export function isResumption({ type, data }: AgentEvent): boolean {
  return type === "run.started" && data.resumed;
}

/** The attempt of the last event of which a status tells. */
export function attemptOf({ attempt = 1 }: RunStatusRecord): number {
  return attempt;
}

function inAttempt(status: RunStatusRecord, attempt: number): RunStatusRecord {
  if (attempt === attemptOf(status)) return status;
  const { resumptions: _, ...kept } = status;
  return { ...kept, attempt };
}

function isAt({ seq, timeMs }: RunResumption): (known: RunResumption) => boolean {
  return (known) => known.seq === seq && known.timeMs === timeMs;
}

/** What each event says. Those that are not here are heard of, and change nothing else. */
const FOLDS: { readonly [T in EventType]?: Fold<T> } = {
  "run.started": (status, { resumed }, event) => {
    // Where nothing of it was recorded, a run that had begun begins anew.
    const begun = resumed || status.lastSeq >= 0 ? goOn(status, event) : status;
    return resumed ? begun : { ...begun, component: event.component, phase: "start" };
  },
  "run.completed": (status, { status: outcome }, { timeMs }) => ({
    ...end(status, "completed", "done", timeMs),
    outcome,
  }),
  "run.failed": (status, { error }, { timeMs }) => ({
    ...end(status, error.code === "cancelled" ? "cancelled" : "failed", "failed", timeMs),
    outcome: "failed",
    error,
  }),
  "run.paused": (status, { requests }) => ({
    ...status,
    state: "paused",
    phase: "paused",
    outcome: "paused",
    activeCalls: [],
    requests,
  }),
  "model.started": (status, { callId, model }, { timeMs }) => ({
    ...withCall(status, { callId, type: "model", name: model.id, startedAtMs: timeMs }),
    phase: "dispatch",
    model,
  }),
  "model.completed": (status, { callId, model, context }) => ({
    ...withoutCall(status, callId),
    phase: "parse",
    model,
    ...(context === undefined ? {} : { context }),
  }),
  "model.failed": (status, { callId, model }) => ({ ...count(withoutCall(status, callId), "failedModelCalls"), model }),
  "fallback.selected": (status, { selected }) => ({ ...count(status, "fallbacks"), model: selected }),
  "usage.recorded": (status, { model, usage }) => countUsage(status, model, usage),
  "cost.recorded": (status, { cost }) => countCost(status, cost),
  "retry.scheduled": (status) => count(status, "retries"),
  "tool.started": (status, { callId, tool }, { timeMs }) => ({
    ...withCall(status, { callId, type: "tool", name: tool, startedAtMs: timeMs }),
    phase: "tools",
  }),
  "tool.completed": (status, { callId }) => countToolCall(withoutCall(status, callId)),
  "tool.failed": (status, { callId, status: how }) => {
    const after = withoutCall(status, callId);
    return how === "not_run" ? after : count(countToolCall(after), "failedToolCalls");
  },
  "limit.reached": (status, { limit, allowed }) => ({
    ...status,
    limit: { limit, allowed },
    // The depth of runs below is no limit of this one.
    ...(limit === "maxDepth" ? {} : { phase: "limit" as const }),
  }),
  "correction.requested": (status) => count(status, "corrections"),
  "sub_agent.started": (status) => count(status, "children"),
  "output.validated": (status) => ({ ...status, phase: "validate" }),
  "memory.saved": (status) => ({ ...status, phase: "finalize" }),
};

function goOn(status: RunStatusRecord, { seq, timeMs }: AgentEvent): RunStatusRecord {
  const { outcome: _outcome, error: _error, endedAtMs: _ended, ...kept } = status;
  const resumptions = [...(kept.resumptions ?? []), { seq, timeMs }].slice(-MOST_RESUMPTIONS);
  return { ...count(kept, "resumes"), state: "running", activeCalls: [], requests: [], resumptions };
}

function end(
  status: RunStatusRecord,
  state: "completed" | "failed" | "cancelled",
  phase: Phase,
  endedAtMs: number,
): RunStatusRecord {
  return { ...status, state, phase, activeCalls: [], requests: [], endedAtMs };
}

function count(status: RunStatusRecord, counter: keyof RunStatusRecord["counters"]): RunStatusRecord {
  const { counters } = status;
  return { ...status, counters: { ...counters, [counter]: counters[counter] + 1 } };
}

function countToolCall(status: RunStatusRecord): RunStatusRecord {
  return { ...status, usage: { ...status.usage, toolCalls: status.usage.toolCalls + 1 } };
}

function withCall(status: RunStatusRecord, call: RunStatusRecord["activeCalls"][number]): RunStatusRecord {
  return { ...status, activeCalls: [...withoutCall(status, call.callId).activeCalls, call] };
}

function withoutCall(status: RunStatusRecord, callId: string): RunStatusRecord {
  return { ...status, activeCalls: status.activeCalls.filter((call) => call.callId !== callId) };
}
