import { type AgentEvent, type AgentState, outcomeOf, type RunStatusRecord, withoutPayload } from "@tinyagents/core";
import { attemptOf, foldRunStatus } from "./fold.js";

/**
 * The status of a run whose recorded state says that it has ended, or waits for answers: what is to be stored when the process
 * was killed before it could. Times and counts stay what was last heard of, and words are not kept. Nothing for a run that can
 * go on: resume it.
 */
export function recordedStatus(status: RunStatusRecord, state: AgentState): RunStatusRecord | undefined {
  const end = endOf(state);
  if (end === undefined) return undefined;
  const { seq } = state;
  const attempt = Math.max(attemptOf(status), state.attempt ?? 1);
  const tell = (told: Pick<AgentEvent, "type" | "data">, seq: number): AgentEvent =>
    eventOf(status, told, { seq, attempt });
  // It was resumed without a word, and told less than it had before.
  const isBehind = status.lastSeq >= seq && status.phase !== state.phase;
  const resumption = { type: "run.started", data: { agent: status.component, resumed: true } } as const;
  const goesOn = isBehind ? foldRunStatus(status, tell(resumption, seq - 1)) : status;
  return foldRunStatus(goesOn, withoutPayload(tell(end, seq)));
}

/** What a run that has stopped told last. */
function endOf(state: AgentState): Pick<AgentEvent, "type" | "data"> | undefined {
  const { phase, error, requests } = state;
  if (phase === "done") return { type: "run.completed", data: { status: outcomeOf(state) } };
  if (phase === "failed" && error !== null) return { type: "run.failed", data: { error } };
  if (phase !== "paused") return undefined;
  const asked = requests.map(({ id, type, callId }) => ({ id, type, ...(callId === undefined ? {} : { callId }) }));
  return { type: "run.paused", data: { requests: asked } };
}

function eventOf(
  status: RunStatusRecord,
  told: Pick<AgentEvent, "type" | "data">,
  { seq, attempt }: Pick<AgentEvent, "seq" | "attempt">,
): AgentEvent {
  const { runId, rootRunId, component, updatedAtMs: timeMs } = status;
  return { v: 1, id: `${runId}/${seq}`, seq, attempt, timeMs, runId, rootRunId, component, ...told } as AgentEvent;
}
