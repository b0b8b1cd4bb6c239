import {
  type AgentState,
  assistantMessage,
  type Message,
  manualClock,
  type Phase,
  type ToolMessage,
  toolMessage,
} from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { scriptedModel } from "@tinyagents/testkit";

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** A run that moves as a loop moves it: in place, its history extended and its other fields replaced. */
export interface DrivenRun {
  readonly state: Mutable<AgentState> & { messages: Message[] };
  /** One step: more messages, another phase. */
  move(phase: Phase, ...messages: readonly Message[]): AgentState;
}

const tester = createAgent({
  name: "tester",
  model: scriptedModel([]),
  clock: manualClock({ startMs: 1_700_000_000_000 }),
});

export function drivenRun(runId: string, input = "Hello"): DrivenRun {
  return drivenFrom(tester.initialState(input, { runId, tags: ["test"] }));
}

function moved(state: DrivenRun["state"], phase: Phase, messages: readonly Message[]): AgentState {
  (state.counters as Mutable<AgentState["counters"]>).steps++;
  state.phase = phase;
  state.seq += 2;
  state.messages.push(...messages);
  return state;
}

/** A run as it stands, to be moved on. */
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
