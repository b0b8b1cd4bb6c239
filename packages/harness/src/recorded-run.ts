import {
  corruptData,
  type JsonValue,
  type RecordedRun,
  type RunRecorder,
  readAgentState,
  readObject,
  readToolMessage,
  type ToolMessage,
} from "@tinyagents/core";
import { recorderError } from "./run/record.js";

/**
 * What a recorder has of a run; nothing when there is no recorder, or when it has none. It is outside code: what it
 * gives is read like all stored data, and copied.
 * @throws `corrupt_data`, `version_mismatch`
 */
export async function loadRecorded(recorder: RunRecorder | undefined, runId: string): Promise<RecordedRun | undefined> {
  let recorded: unknown;
  try {
    recorded = await recorder?.load(runId);
  } catch (error) {
    throw recorderError("load", error);
  }
  if (recorded === undefined) return undefined;
  const place = `recorded run ${JSON.stringify(runId)}`;
  const { state: stored, toolResults } = readObject(recorded, place);
  const state = readAgentState(readObject(stored, `${place}.state`), `${place}.state`);
  if (state.config.runId !== runId) {
    throw corruptData(`${place}.state.config.runId`, `it is another run, "${state.config.runId}"`);
  }
  return { state, toolResults: readResults(toolResults, `${place}.toolResults`) };
}

function readResults(toolResults: JsonValue | undefined, place: string): RecordedRun["toolResults"] {
  const given: unknown = toolResults;
  if (!(given instanceof Map)) throw corruptData(place, "a map from call ids to results is expected");
  const results = new Map<string, ToolMessage>();
  for (const [callId, value] of given as ReadonlyMap<unknown, unknown>) {
    const result = readToolMessage(value, `${place}[${JSON.stringify(callId)}]`);
    if (result.toolCallId !== callId) {
      throw corruptData(
        `${place}[${JSON.stringify(callId)}].toolCallId`,
        `it is the result of another call, "${result.toolCallId}"`,
      );
    }
    results.set(result.toolCallId, result);
  }
  return results;
}
