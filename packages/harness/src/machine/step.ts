import { isEnd } from "@tinyagents/core";
import type { LiveRun } from "../run/live-run.js";
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

type Awaitable<T> = T | Promise<T>;

/**
 * Does the one thing that is due and moves the state on. A failure of the run is a state in phase `failed`; what is
 * thrown comes from the recorder or from whoever takes the items.
 */
export function step(run: LiveRun): Awaitable<void> {
  const { state } = run;
  const from = state.phase;
  if (from === "done" || from === "failed" || from === "paused") return;
  state.counters.steps++;
  let moved: Awaitable<void>;
  try {
    run.throwIfCancelled();
    moved = move(run);
  } catch (error) {
    moved = failRun(run, error);
  }
  if (moved instanceof Promise) return moved.catch((error) => failRun(run, error)).then(() => completed(run, from));
  return completed(run, from);
}

function move(run: LiveRun): Awaitable<void> {
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

function completed(run: LiveRun, from: LiveRun["state"]["phase"]): Awaitable<void> {
  const { state, recorder } = run;
  if (!isEnd(state.phase)) run.event()?.("step.completed", { phase: from, next: state.phase });
  if (!run.showsUpdates && recorder === undefined) return;
  return announce(run);
}

async function announce(run: LiveRun): Promise<void> {
  const { state, recorder } = run;
  run.noteTime();
  if (recorder !== undefined) await recorder.step(state as never);
  if (run.showsUpdates) {
    const { phase, counters, messages, config } = state;
    await run.show?.({
      type: "update",
      runId: config.runId,
      phase,
      counters: { ...counters },
      messages: messages.length,
    });
  }
}
