import type { ToolMessage } from "../message/message.js";
import type { AgentState } from "./state.js";

/** What a recorder knows of a run. */
export interface RecordedRun {
  readonly state: AgentState;
  /** Results that came after `state` was recorded, by call id. */
  readonly toolResults: ReadonlyMap<string, ToolMessage>;
}

/** Keeps runs so that they go on after a crash. This is resumption, not memory: it is written at every step. */
export interface RunRecorder {
  /** The run; nothing when none was recorded under this id. */
  load(runId: string): Promise<RecordedRun | undefined>;
  /** Called after each step. The state is a live view: what is kept of it must be copied before this resolves. */
  step(state: AgentState): Promise<void> | void;
  /** A call counts as done when this has resolved. */
  toolResult(runId: string, callId: string, result: ToolMessage): Promise<void> | void;
}
