import { corruptData } from "../../guarded-read.js";
import { checkHistory } from "../../message/check-history.js";
import { openCalls } from "../../message/open-calls.js";
import type { AgentState, Phase } from "../state.js";

/**
 * Calls may be open at the end only, and only where they are about to be read or run.
 * @throws `corrupt_data`
 */
export function checkCalls(state: AgentState, place: string): void {
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
      if (!isDue) throw corruptData(`${place}.messages[${index}]`, `${type} for the tool call "${callId}"`);
    }
  }
  if (batch !== null) checkBatch(state, due, `${place}.batch`);
}

function phaseThatIsDue({ phase, resumeAt }: AgentState): Phase {
  return phase === "paused" || phase === "failed" ? (resumeAt ?? "dispatch") : phase;
}

/** A batch has the open calls of the last answer, all of them, in their order. */
function checkBatch({ batch, messages }: AgentState, due: Phase, place: string): void {
  if (due !== "tools") throw corruptData(place, `there is none in phase "${due}"`);
  const open = openCalls(messages).map(({ id }) => id);
  const calls = batch?.calls ?? [];
  if (open.length !== calls.length) throw corruptData(`${place}.calls`, `the history has ${open.length} open calls`);
  calls.forEach(({ callId, result }, at) => {
    const call = `${place}.calls[${at}]`;
    if (callId !== open[at]) throw corruptData(`${call}.callId`, `the open call there is "${open[at]}"`);
    if (result !== undefined && result.toolCallId !== callId) {
      throw corruptData(`${call}.result.toolCallId`, `it is the result of another call, "${result.toolCallId}"`);
    }
  });
}
