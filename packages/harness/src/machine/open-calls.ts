import { openCalls, type ToolMessage, type ToolStatus, toolMessage } from "@tinyagents/core";
import type { LiveRun } from "../run/live-run.js";
import { notExecuted } from "../tools/call.js";
import { idsBefore, renameRepeatedCalls } from "./call-ids.js";

/**
 * Gives every open call a result, so that the history is whole: of the batch at hand the results that are there, for
 * the rest one that says it did not run.
 */
export function closeOpenCalls(run: LiveRun, status: ToolStatus, reason: string): void {
  const { state } = run;
  if (openCalls(state.messages).length === 0) {
    state.batch = null;
    return;
  }
  if (state.batch === null) {
    // The answer may not have been parsed yet.
    renameRepeatedCalls(state, idsBefore(state.messages, state.messages.length - 1));
    run.callIds = undefined;
  }
  const open = openCalls(state.messages);
  const results = new Map(state.batch?.calls.map(({ callId, result }) => [callId, result]));
  for (const call of open) {
    state.messages.push(results.get(call.id) ?? notExecuted(run, notRun(call, status, reason)));
  }
  state.batch = null;
}

/** A result that stands for a call that did not run to its end. */
export function notRun(
  call: { readonly id: string; readonly name: string },
  status: ToolStatus,
  reason: string,
): ToolMessage {
  return toolMessage(call, reason, status);
}
