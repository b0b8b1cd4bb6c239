import {
  type AgentState,
  assistantMessage,
  emptyUsage,
  type Message,
  type Phase,
  type ToolMessage,
  toolMessage,
  userMessage,
} from "@tinyagents/core";

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** A run that moves as a loop moves it: in place, its history extended and its other fields replaced. */
export interface DrivenRun {
  readonly state: Mutable<AgentState> & { messages: Message[] };
  /** One step: more messages, another phase. */
  move(phase: Phase, ...messages: readonly Message[]): AgentState;
}

export function drivenRun(runId: string, input = "Hello"): DrivenRun {
  const state: DrivenRun["state"] = {
    v: 1,
    agent: "tester",
    phase: "start",
    config: {
      runId,
      rootRunId: runId,
      depth: 0,
      tags: ["test"],
      metadata: {},
      configurable: {},
      limits: {
        maxModelCalls: 32,
        maxToolCalls: 256,
        maxConcurrency: 8,
        maxRetries: 16,
        maxCorrections: 6,
        maxDepth: 4,
        modelTimeoutMs: 600_000,
        toolTimeoutMs: 600_000,
        maxResultChars: 100_000,
      },
    },
    messages: [userMessage(input)],
    newFrom: 0,
    counters: { steps: 0, modelCalls: 0, toolCalls: 0, retries: 0, corrections: 0 },
    usage: emptyUsage(),
    childUsage: emptyUsage(),
    usageByModel: [],
    cost: null,
    unpricedCalls: 0,
    seq: 0,
    startedAtMs: 1_700_000_000_000,
    activeMs: 0,
    middleware: {},
    memoryVersion: null,
    lastResponse: null,
    batch: null,
    edits: [],
    recentBatches: [],
    repeats: 0,
    limit: null,
    finalizing: false,
    output: null,
    stop: null,
    answers: {},
    requests: [],
    resumeAt: null,
    error: null,
  };
  return { state, move: (phase, ...messages) => moved(state, phase, messages) };
}

function moved(state: DrivenRun["state"], phase: Phase, messages: readonly Message[]): AgentState {
  (state.counters as Mutable<AgentState["counters"]>).steps++;
  state.phase = phase;
  state.seq += 2;
  state.messages.push(...messages);
  return state;
}

/** A run that was loaded, to be moved on. */
export function drivenFrom(loaded: AgentState): DrivenRun {
  const state = loaded as DrivenRun["state"];
  return { state, move: (phase, ...messages) => moved(state, phase, messages) };
}

export function answer(text: string): Message {
  return assistantMessage(text);
}

/** A message that calls tools with these ids. */
export function calls(...ids: readonly string[]): Message {
  return assistantMessage(ids.map((id) => ({ type: "tool_call" as const, id, name: "look", args: {} })));
}

export function result(callId: string, text = `result of ${callId}`): ToolMessage {
  return toolMessage({ id: callId, name: "look" }, text);
}

/** A value as it is now, whatever becomes of it. */
export function copy<T>(value: T): T {
  return structuredClone(value);
}
