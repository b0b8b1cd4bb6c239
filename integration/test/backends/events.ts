import type { AgentEvent, EventData, EventType } from "@tinyagents/core";

/** An event as an agent would tell it. Fragments are numbered with `part`. */
export function event<T extends EventType>(
  seq: number,
  type: T,
  data: EventData[T],
  { runId = "r1", rootRunId = "r1", part }: { runId?: string; rootRunId?: string; part?: number } = {},
): AgentEvent {
  const id = part === undefined ? `${runId}/${seq}` : `${runId}/${seq}.${part}`;
  return { v: 1, id, seq, timeMs: seq, type, runId, rootRunId, component: "tester", data } as AgentEvent;
}

/** The `n`-th event of a run: its name is the number. */
export function note(seq: number, where: { runId?: string; rootRunId?: string; part?: number } = {}): AgentEvent {
  return event(seq, "custom", { name: `n${seq}` }, where);
}

export function started(seq: number, resumed = false): AgentEvent {
  return event(seq, "run.started", { agent: "tester", resumed }, resumed ? { part: 1 } : {});
}

export function completed(seq: number): AgentEvent {
  return event(seq, "run.completed", { status: "completed" });
}
