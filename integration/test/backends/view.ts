import type { AgentEvent } from "@tinyagents/core";

/** What a UI shows of a run. */
export interface View {
  /** Answers as they have grown, by call of a model. */
  readonly texts: readonly (readonly [call: string, text: string])[];
  /** Tool calls and what was last heard of them. */
  readonly calls: readonly (readonly [call: string, type: string])[];
  /** How the last run to end ended. */
  readonly end: string;
}

export function viewOf(events: readonly AgentEvent[]): View {
  const texts = new Map<string, string>();
  const calls = new Map<string, string>();
  let end = "";
  for (const { runId, type, data } of events) {
    if (type === "model.delta" && data.payload?.delta.type === "text") {
      const id = `${runId} ${data.callId}`;
      texts.set(id, (texts.get(id) ?? "") + data.payload.delta.text);
    }
    if (type === "tool.started" || type === "tool.completed" || type === "tool.failed")
      calls.set(`${runId} ${data.callId}`, type);
    if (type === "run.completed" || type === "run.failed" || type === "run.paused") end = `${runId} ${type}`;
  }
  return { texts: [...texts], calls: [...calls], end };
}
