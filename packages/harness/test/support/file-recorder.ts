import { appendFileSync, existsSync, readFileSync } from "node:fs";
import {
  type AgentState,
  type RecordedRun,
  type RunRecorder,
  readAgentState,
  type ToolMessage,
} from "@tinyagents/core";

type Entry =
  | { readonly type: "step"; readonly state: AgentState }
  | { readonly type: "result"; readonly runId: string; readonly callId: string; readonly result: ToolMessage };

/** A recorder of lines in a file: each is there, for any other process, when its write has returned. */
export function fileRecorder(file: string): RunRecorder {
  const write = (entry: Entry): void => appendFileSync(file, `${JSON.stringify(entry)}\n`);
  return {
    async load(runId): Promise<RecordedRun | undefined> {
      let state: AgentState | undefined;
      let toolResults = new Map<string, ToolMessage>();
      for (const entry of entries(file)) {
        if (entry.type === "step" && entry.state.config.runId === runId) {
          state = readAgentState(JSON.stringify(entry.state));
          toolResults = new Map();
        } else if (entry.type === "result" && entry.runId === runId) toolResults.set(entry.callId, entry.result);
      }
      return state && { state, toolResults };
    },
    step: (state) => write({ type: "step", state }),
    toolResult: (runId, callId, result) => write({ type: "result", runId, callId, result }),
  };
}

function entries(file: string): readonly Entry[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Entry);
}
