import {
  type AgentState,
  checkHistory,
  type JsonValue,
  messageOf,
  type Phase,
  parseJson,
  readObject,
  readVersion,
} from "@tinyagents/core";
import { openCalls } from "./machine/open-calls.js";
import { corrupt } from "./read-state/fields.js";
import { agentState } from "./read-state/state.js";

const PLACE = "the run's state";
const FORMAT = 1;

/**
 * Reads a run's state that was stored: its JSON text, or the value of it. The result is a copy that nobody else holds.
 * @throws `corrupt_data` that names the place, `version_mismatch` for a format of the future.
 */
export function readAgentState(stored: string | JsonValue): AgentState {
  const value = readObject(parseJson(textOf(stored), { place: PLACE }), PLACE);
  readVersion(value, FORMAT, PLACE);
  agentState(value, PLACE);
  const state = value as unknown as AgentState;
  checkPlaces(state);
  checkPairs(state);
  return state;
}

function textOf(stored: string | JsonValue): string {
  if (typeof stored === "string") return stored;
  try {
    return JSON.stringify(stored) ?? "";
  } catch (error) {
    throw corrupt(PLACE, messageOf(error));
  }
}

function checkPlaces({ newFrom, messages }: AgentState): void {
  if (newFrom > messages.length) {
    throw corrupt(`${PLACE}.newFrom`, `it points past the ${messages.length} messages`);
  }
}

/** Calls may be open at the end only, and only where they are about to be read or run. */
function checkPairs(state: AgentState): void {
  const { messages, batch } = state;
  const due = phaseThatIsDue(state);
  if (due !== "start") {
    const lastAnswer = messages.findLastIndex(({ role }) => role === "assistant");
    const mayBeOpen = batch !== null || due === "parse";
    for (const { type, index, callId } of checkHistory(messages)) {
      // A server may use an id again: `parse` gives the second call a name of its own.
      const isDue =
        index >= lastAnswer &&
        (type === "unanswered_call" ? mayBeOpen : type === "repeated_call_id" && due === "parse");
      if (!isDue) throw corrupt(`${PLACE}.messages[${index}]`, `${type} for the tool call "${callId}"`);
    }
  }
  if (batch !== null) checkBatch(state, due);
}

function phaseThatIsDue({ phase, resumeAt }: AgentState): Phase {
  return phase === "paused" || phase === "failed" ? (resumeAt ?? "dispatch") : phase;
}

/** A batch has the open calls of the last answer, all of them, in their order. */
function checkBatch({ batch, messages }: AgentState, due: Phase): void {
  const place = `${PLACE}.batch`;
  if (due !== "tools") throw corrupt(place, `there is none in phase "${due}"`);
  const open = openCalls(messages).map(({ id }) => id);
  const calls = batch?.calls ?? [];
  if (open.length !== calls.length) throw corrupt(`${place}.calls`, `the history has ${open.length} open calls`);
  calls.forEach(({ callId, result }, at) => {
    if (callId !== open[at]) throw corrupt(`${place}.calls[${at}].callId`, `the open call there is "${open[at]}"`);
    if (result !== undefined && result.toolCallId !== callId) {
      throw corrupt(
        `${place}.calls[${at}].result.toolCallId`,
        `it is the result of another call, "${result.toolCallId}"`,
      );
    }
  });
}
