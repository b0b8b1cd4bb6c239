import { isEnd } from "@tinyagents/core";
import type { Awaitable } from "../awaitable.js";
import type { LiveRun } from "../run/live-run.js";
import { recordStep } from "../run/record.js";
import { compact } from "./compact.js";
import { dispatch } from "./dispatch.js";
import { failRun } from "./fail.js";
import { finalize } from "./finalize.js";
import { reachLimit } from "./limit.js";
import { parse } from "./parse.js";
import { start } from "./start.js";
import { stopCheck } from "./stop-check.js";
import { runBatch } from "./tools.js";
import { validate } from "./validate.js";

/**
 * Moves a run to its end, one phase after the other. A failure of the run is a state in phase `failed`; what is
 * thrown comes from the recorder or from whoever takes the items.
 */
export async function moveToEnd(run: LiveRun): Promise<void> {
  while (!isEnd(run.state.phase)) {
    try {
      const moved = moveOnce(run);
      if (moved instanceof Promise) await moved;
    } catch (error) {
      await failRun(run, error);
    }
    if (run.held !== undefined) await run.taken();
    if (run.recorder !== undefined || run.shows("updates")) await afterStep(run);
  }
}

/** Does the one thing that is due and moves the state on, with failures as in {@link moveToEnd}. */
export async function moveOneStep(run: LiveRun): Promise<void> {
  if (isEnd(run.state.phase)) return;
  try {
    await moveOnce(run);
  } catch (error) {
    await failRun(run, error);
  }
  if (run.held !== undefined) await run.taken();
  if (run.recorder !== undefined || run.shows("updates")) await afterStep(run);
}

function moveOnce(run: LiveRun): Awaitable<void> {
  run.throwIfCancelled();
  run.state.counters.steps++;
  switch (run.state.phase) {
    case "start":
      return start(run);
    case "dispatch":
      return dispatch(run);
    case "parse":
      return parse(run);
    case "tools":
      return runBatch(run);
    case "stop_check":
      return stopCheck(run);
    case "compact":
      return compact(run);
    case "validate":
      return validate(run);
    case "limit":
      return reachLimit(run);
    case "finalize":
      return finalize(run);
    case "paused":
    case "done":
    case "failed":
      return;
  }
}

async function afterStep(run: LiveRun): Promise<void> {
  run.noteTime();
  await recordStep(run);
  if (!run.shows("updates")) return;
  const { phase, counters, messages, config } = run.state;
  await run.show?.({
    type: "update",
    runId: config.runId,
    phase,
    counters: { ...counters },
    messages: messages.length,
  });
}
