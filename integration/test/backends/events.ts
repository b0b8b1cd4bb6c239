import type { AgentEvent, EventData, EventType } from "@tinyagents/core";

/** Which run tells it, and in which attempt: `r1` in the first, unless told otherwise. Fragments are numbered with `part`. */
interface Where {
  readonly runId?: string;
  readonly rootRunId?: string;
  readonly part?: number;
  readonly attempt?: number;
}

/** An event as an agent would tell it. */
export function event<T extends EventType>(
  seq: number,
  type: T,
  data: EventData[T],
  { runId = "r1", rootRunId = "r1", part, attempt = 1 }: Where = {},
): AgentEvent {
  const id = part === undefined ? `${runId}/${seq}` : `${runId}/${seq}.${part}`;
  return { v: 1, id, seq, attempt, timeMs: seq, type, runId, rootRunId, component: "tester", data } as AgentEvent;
}

/** The `n`-th event of a run: its name is the number. */
export function note(seq: number, where: Where = {}): AgentEvent {
  return event(seq, "custom", { name: `n${seq}` }, where);
}

export function started(seq: number): AgentEvent {
  return event(seq, "run.started", { agent: "tester", resumed: false });
}

export function resumed(seq: number, attempt = 2): AgentEvent {
  return event(seq, "run.started", { agent: "tester", resumed: true }, { part: 1, attempt });
}

export function completed(seq: number, where: Where = {}): AgentEvent {
  return event(seq, "run.completed", { status: "completed" }, where);
}
