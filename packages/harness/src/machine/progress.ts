import { hashNumber, type Message, TinyAgentsError, type ToolCallBlock, type ToolMessage } from "@tinyagents/core";
import type { LiveRun } from "../run/live-run.js";
import { traceOfCalls } from "./call-trace.js";

/** How many batches back a repeat is looked for: enough for two calls that alternate, and for three. */
const LOOKS_BACK = 6;
/** How much of each end of a medium tells it apart from another, in characters. */
const MEDIA_SAMPLE = 1_000;

/**
 * Whether a batch is not to be run at all: it repeats an earlier one, and repeats have come to nothing often enough.
 */
export function refusesRepeat(run: LiveRun, blocks: readonly ToolCallBlock[]): boolean {
  const policy = run.definition.noProgress;
  const { repeats, recentBatches } = run.state;
  if (policy === undefined || repeats < policy.refuseAfter) return false;
  const calls = traceOfCalls(blocks);
  return recentBatches.some((batch) => batch.calls === calls);
}

/**
 * Notes a finished batch. It counts as a repeat when one not far back had the same calls and the same results, or
 * when it was refused as one. From `hintAfter` on the model is told, with its results; at `stopAfter` the run ends.
 * @throws `no_progress`
 */
export function judgeProgress(
  run: LiveRun,
  blocks: readonly ToolCallBlock[],
  results: readonly ToolMessage[],
): readonly ToolMessage[] {
  const policy = run.definition.noProgress;
  if (policy === undefined) return results;
  const { state } = run;
  const { recentBatches } = state;
  const calls = traceOfCalls(blocks);
  const known = recentBatches.filter((earlier) => earlier.calls === calls);
  // Results are looked at when the same calls come again: most batches are new, and their results may be long.
  const traced = known.length === 0 ? null : traceOfResults(results);
  const refused = known.length > 0 && state.repeats >= policy.refuseAfter;
  const repeated = refused || known.some((earlier) => resultsOf(run, earlier, results.length) === traced);
  state.repeats = repeated ? state.repeats + 1 : 0;
  recentBatches.push({ calls, results: traced, place: state.messages.length });
  if (recentBatches.length > LOOKS_BACK) recentBatches.shift();
  if (state.repeats >= policy.stopAfter) {
    run.event()?.("no_progress.detected", { repeats: state.repeats, action: "stop" });
    throw stuck(state.repeats, blocks);
  }
  if (refused) run.event()?.("no_progress.detected", { repeats: state.repeats, action: "refuse" });
  if (refused || state.repeats < policy.hintAfter) return results;
  run.event()?.("no_progress.detected", { repeats: state.repeats, action: "hint" });
  return withHint(results, state.repeats);
}

/** An edit of the history moves results away from where batches say they begin: such batches are forgotten. */
export function forgetMovedBatches(run: LiveRun): void {
  const { state } = run;
  state.recentBatches = state.recentBatches.filter(({ results }) => results !== null);
}

/** The results of an earlier batch with the same calls, so with as many. */
function resultsOf(run: LiveRun, batch: LiveRun["state"]["recentBatches"][number], count: number): number {
  batch.results ??= traceOfResults(run.state.messages.slice(batch.place, batch.place + count));
  return batch.results;
}

function traceOfResults(results: readonly Message[]): number {
  let text = "";
  for (const result of results) {
    if (result.role === "tool") text += result.status;
    for (const block of result.content) {
      if (block.type === "text") text += block.text;
      else text += block.type === "json" ? JSON.stringify(block.value) : sample(JSON.stringify(block));
    }
  }
  return hashNumber(text);
}

/** Media are long, and two that differ do so in length or at their ends. */
function sample(said: string): string {
  if (said.length <= 2 * MEDIA_SAMPLE) return said;
  return `${said.length}:${said.slice(0, MEDIA_SAMPLE)}${said.slice(-MEDIA_SAMPLE)}`;
}

function withHint(results: readonly ToolMessage[], repeats: number): readonly ToolMessage[] {
  const last = results.at(-1);
  if (last === undefined) return results;
  const hint = `[You have made the same calls with the same results ${repeats + 1} times. Do something else, or give your answer.]`;
  return results.with(-1, { ...last, content: [...last.content, { type: "text", text: hint }] });
}

function stuck(repeats: number, blocks: readonly ToolCallBlock[]): TinyAgentsError<"no_progress"> {
  const calls = blocks.map(({ name }) => name);
  return new TinyAgentsError(
    "no_progress",
    `The run repeats itself: the same calls (${calls.join(", ")}) gave the same results ${repeats + 1} times.`,
    {
      details: { repeats, calls },
    },
  );
}
