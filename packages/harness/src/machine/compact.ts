import { checkHistory, type HistoryEdit, TinyAgentsError } from "@tinyagents/core";
import type { LiveRun } from "../run/live-run.js";
import { forgetMovedBatches } from "./progress.js";

/** Edits without a model call between them, before they count as endless. */
const MOST_IN_A_ROW = 8;

/**
 * Applies the edits of the history that middleware asked for, and records that it did. An edit that would break the
 * pairing of calls and results is refused.
 * @throws `middleware_failed` that names who asked for a wrong edit.
 */
export function compact(run: LiveRun): void {
  run.compactions++;
  const last = run.state.edits.at(-1);
  if (run.compactions > MOST_IN_A_ROW && last !== undefined) {
    throw refused(last.by, "it asks for another one after each, and no model call is ever made");
  }
  applyEdits(run);
  run.state.phase = "dispatch";
}

/**
 * Applies what is due. Whoever asked saw the history as it was before any of these edits, so the places of each move
 * with the edits before it.
 * @throws `middleware_failed` that names who asked for a wrong edit.
 */
export function applyEdits(run: LiveRun): void {
  const { edits } = run.state;
  run.state.edits = [];
  edits.forEach((edit, index) => {
    const earlier = edits.slice(0, index);
    const other = earlier.find(({ from, to }) => from < edit.to && edit.from < to);
    if (other !== undefined) throw refused(edit.by, `it changes messages that ${other.by} changes too`);
    const moved = earlier.reduce(
      (sum, { from, to, messages }) => sum + (to <= edit.from ? messages.length - (to - from) : 0),
      0,
    );
    apply(run, { ...edit, from: edit.from + moved, to: edit.to + moved });
  });
}

function apply(run: LiveRun, edit: HistoryEdit): void {
  const { state } = run;
  const { from, to, messages, by } = edit;
  const fits = Number.isInteger(from) && Number.isInteger(to) && from >= 0 && from <= to && to <= state.messages.length;
  if (!fits) throw refused(by, `it replaces messages ${from} to ${to} of ${state.messages.length}`);
  const edited = state.messages.toSpliced(from, to - from, ...messages);
  const [problem] = checkHistory(edited);
  if (problem !== undefined) throw refused(by, `it leaves the tool call ${problem.callId} as ${problem.type}`);
  state.messages = edited;
  state.newFrom = newFromAfter(edit, state.newFrom);
  run.callIds = undefined;
  forgetMovedBatches(run);
  run.event()?.("history.edited", { by, removed: to - from, added: messages.length });
}

/** What was new stays new: the mark moves with the messages behind the edit. */
function newFromAfter({ from, to, messages }: HistoryEdit, newFrom: number): number {
  if (newFrom >= to) return newFrom + messages.length - (to - from);
  return Math.min(newFrom, from + messages.length);
}

function refused(by: string, reason: string): TinyAgentsError<"middleware_failed"> {
  return new TinyAgentsError(
    "middleware_failed",
    `The middleware ${by} asked for an edit of the history that cannot be made: ${reason}.`,
    {
      details: { middleware: by, hook: "history" },
    },
  );
}
