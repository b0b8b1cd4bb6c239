import { openCalls, type ToolCallBlock, toolMessage } from "@tinyagents/core";
import type { LiveRun } from "../run/live-run.js";
import { notExecuted } from "../tools/call.js";
import { idsBefore, renameRepeatedCalls } from "./call-ids.js";
import { closeOpenCalls } from "./open-calls.js";

/** Reads the last answer: which calls it has, whether they may be run, and so what is due. */
export function parse(run: LiveRun): void {
  const { state } = run;
  run.callIds ??= idsBefore(state.messages, state.messages.length - 1);
  renameRepeatedCalls(state, run.callIds);
  const calls = openCalls(state.messages);
  if (calls.length === 0) {
    state.phase = "stop_check";
    return;
  }
  const finishReason = state.lastResponse?.finishReason;
  if (finishReason !== "stop" && finishReason !== "tool_calls") {
    closeOpenCalls(
      run,
      "not_run",
      `This call was not run: the answer that asked for it was unfinished (${finishReason}).`,
    );
    state.phase = "stop_check";
    return;
  }
  if (takeForcedAnswer(run, calls)) return;
  if (state.finalizing) {
    closeOpenCalls(run, "not_run", "This call was not run: the run is at its end and asks for an answer only.");
    state.phase = "stop_check";
    return;
  }
  state.batch = {
    modelCallId: state.lastResponse?.callId ?? "",
    calls: calls.map(({ id }) => ({ callId: id })),
  };
  state.phase = "tools";
}

/** The call that carries a structured answer is no tool call: it is answered at once and its arguments are the answer. */
function takeForcedAnswer(run: LiveRun, calls: readonly ToolCallBlock[]): boolean {
  const { state, definition } = run;
  const plan = definition.output;
  if (plan?.strategy !== "tool") return false;
  const answer = calls.find(({ name }) => name === plan.name);
  if (answer === undefined) return false;
  for (const call of calls) {
    state.messages.push(
      call === answer
        ? toolMessage(call, "The answer was received.")
        : notExecuted(
            run,
            toolMessage(call, "This call was not run: the answer was given in the same answer.", "not_run"),
          ),
    );
  }
  const text = answer.invalid?.raw ?? JSON.stringify(answer.args);
  state.output = {
    strategy: "tool",
    candidate:
      answer.invalid === undefined ? { text, value: answer.args, callId: answer.id } : { text, callId: answer.id },
  };
  state.phase = "validate";
  return true;
}
