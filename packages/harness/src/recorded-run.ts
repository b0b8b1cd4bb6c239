import {
  type AgentState,
  corruptData,
  isEnd,
  type JsonValue,
  type Limits,
  type RecordedRun,
  type RunRecorder,
  readAgentState,
  readObject,
  readToolMessage,
  type ToolMessage,
} from "@tinyagents/core";
import { moveToEnd } from "./machine/step.js";
import { notOvertaken, reopen, resumeMismatch } from "./resume.js";
import type { LiveRun } from "./run/live-run.js";
import type { LiveState } from "./run/live-state.js";
import { recorderError, recordStep } from "./run/record.js";
import { claimRun, whileClaimed } from "./run/run-claim.js";

/** Which run is to go on, and from which state, where that was given. */
export interface ResumedRun {
  readonly runId: string;
  readonly state?: AgentState;
}

/** Reads what a caller wants to go on with: a state, or the id of a run. */
export function readResumed(run: AgentState | string): ResumedRun {
  if (typeof run !== "string") {
    const state = readAgentState(run as unknown as JsonValue);
    return { runId: state.config.runId, state };
  }
  if (/^\s*["[{]/.test(run)) throw notAnId();
  return { runId: run };
}

/**
 * The state from which a run goes on: the one that was given, or the recorded one, with all results that are recorded.
 * @throws `resume_mismatch`, and what the recorder throws.
 */
export async function reopenResumed(
  agent: string,
  { runId, state }: ResumedRun,
  recorder: RunRecorder | undefined,
  limits: Limits | undefined,
): Promise<LiveState> {
  const recorded = await loadRecorded(recorder, runId);
  if (state !== undefined) return reopen(agent, notOvertaken(state, recorded), limits, recorded);
  if (recorded !== undefined) return reopen(agent, recorded.state, limits, recorded);
  if (runId.length > LONGEST_ID_SHOWN) throw notAnId();
  const reason =
    recorder === undefined ? "the agent has no recorder to look it up in" : "the recorder knows no run with this id";
  throw resumeMismatch(reason, `The run "${runId}" cannot be resumed`);
}

const LONGEST_ID_SHOWN = 200;

/** The text is not in it: a state holds what was said. */
function notAnId(): ReturnType<typeof resumeMismatch> {
  return resumeMismatch("this looks like a state: read it with readAgentState", "The run cannot be resumed");
}

/**
 * Moves a run that is recorded to its end, as its owner. Before anything is done, the recorder has the run.
 * @throws `conflict` when somebody else owns it, or has recorded it since it was loaded.
 */
export async function moveRecorded(run: LiveRun): Promise<void> {
  const { phase, config } = run.state;
  if (phase === "done") return;
  run.claim ??= await claimRun(run.recorder, config.runId);
  if (!isEnd(run.state.phase)) run.claim?.keepUp(run);
  await whileClaimed(run.claim, async () => {
    await recordStep(run);
    await moveToEnd(run);
  });
}

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
