import {
  type AgentState,
  checkHistory,
  type RecordedRun,
  type RunRecorder,
  readAgentState,
  type ToolMessage,
} from "@tinyagents/core";

/** A recorder in memory that keeps every state it was given, as text. */
export interface KeptRuns extends RunRecorder {
  /** States in the order in which they were recorded, of all runs. */
  readonly states: readonly AgentState[];
  /** Call ids whose results were recorded, in order. */
  readonly results: readonly string[];
}

export function keptRuns(): KeptRuns {
  const texts: string[] = [];
  const results: string[] = [];
  const last = new Map<string, { text: string; results: Map<string, ToolMessage> }>();
  return {
    get states() {
      return texts.map((text) => JSON.parse(text) as AgentState);
    },
    results,
    async load(runId): Promise<RecordedRun | undefined> {
      const kept = last.get(runId);
      return kept && { state: readAgentState(kept.text), toolResults: new Map(kept.results) };
    },
    step(state) {
      const text = JSON.stringify(state);
      texts.push(text);
      last.set(state.config.runId, { text, results: new Map() });
    },
    async toolResult(runId, callId, result) {
      results.push(callId);
      last.get(runId)?.results.set(callId, structuredClone(result));
    },
  };
}

/** Whether a history is whole. A text, so that a failing test says what is wrong. */
export function historyProblems(state: Pick<AgentState, "messages">): string {
  return checkHistory(state.messages)
    .map(({ type, index, callId }) => `${type} at ${index}: ${callId}`)
    .join("; ");
}
