import {
  type BatchCall,
  type ControlBy,
  isConcurrencySafe,
  type PauseRequest,
  type RunStop,
  strongerControl,
  type ToolCallBlock,
  type ToolMessage,
  toolCalls,
} from "@tinyagents/core";
import type { LiveRun } from "../run/live-run.js";
import type { LiveBatch } from "../run/live-state.js";
import { admit } from "../tools/admit.js";
import { type CallOutcome, notExecuted, runCall } from "../tools/call.js";
import type { PreparedCall } from "../tools/prepare.js";
import { inParallel } from "../tools/schedule.js";
import { honour } from "./control.js";
import { hitLimit } from "./limit.js";
import { notRun } from "./open-calls.js";
import { pause } from "./pause.js";
import { judgeProgress, refusesRepeat } from "./progress.js";

type Awaitable<T> = T | Promise<T>;

/** What a batch has led to besides results. */
interface BatchEffects {
  readonly requests: PauseRequest[];
  stop: RunStop | undefined;
  control: ControlBy | undefined;
  capped: boolean;
}

interface Job {
  readonly entry: LiveBatch["calls"][number];
  readonly prepared: PreparedCall;
}

/**
 * Runs the calls of one answer. All are checked before any runs; those that may overlap do; results stand in call order
 * whatever finished first. A call that has its result already, from before a crash or a pause, is not run again.
 */
export function runBatch(run: LiveRun): Awaitable<void> {
  const { batch } = run.state;
  if (batch === null) {
    run.state.phase = "dispatch";
    return;
  }
  const blocks = blocksOf(run, batch);
  const effects: BatchEffects = { requests: [], stop: undefined, control: undefined, capped: false };
  const jobs: Job[] = [];
  const admitting = admitFrom(run, batch, blocks, 0, effects, jobs);
  if (admitting instanceof Promise) return admitting.then(() => runJobs(run, batch, blocks, effects, jobs));
  return runJobs(run, batch, blocks, effects, jobs);
}

function blocksOf(run: LiveRun, batch: LiveBatch): readonly ToolCallBlock[] {
  const { messages } = run.state;
  for (let i = messages.length - 1; i >= 0; i--) {
    const message = messages[i];
    if (message?.role !== "assistant") continue;
    const calls = toolCalls(message);
    if (calls.length === batch.calls.length) return calls;
    return batch.calls.map(({ callId }) => calls.find(({ id }) => id === callId) as ToolCallBlock);
  }
  return [];
}

/** Checks the calls one after the other; goes on synchronously for as long as the checks do. */
function admitFrom(
  run: LiveRun,
  batch: LiveBatch,
  blocks: readonly ToolCallBlock[],
  from: number,
  effects: BatchEffects,
  jobs: Job[],
): Awaitable<void> {
  const refused = from === 0 && refusesRepeat(run, blocks);
  for (let i = from; i < batch.calls.length; i++) {
    const entry = batch.calls[i];
    const block = blocks[i];
    if (
      entry === undefined ||
      block === undefined ||
      entry.result !== undefined ||
      entry.waiting?.requestId !== undefined
    )
      continue;
    if (run.state.counters.toolCalls >= run.state.config.limits.maxToolCalls) {
      effects.capped = true;
      entry.result = notExecuted(
        run,
        notRun(block, "not_run", "This call was not run: the run has reached its limit of tool calls."),
      );
      continue;
    }
    if (refused) {
      run.state.counters.toolCalls++;
      entry.result = notExecuted(
        run,
        notRun(
          block,
          "not_run",
          "This call was not run: the same call has been made before with the same result. Do something else, or give your answer.",
        ),
      );
      continue;
    }
    const admission = admit(run, block, entry, batch.modelCallId);
    if (admission instanceof Promise) {
      return admission.then((settled) => {
        place(run, entry, settled, effects, jobs);
        return admitFrom(run, batch, blocks, i + 1, effects, jobs);
      });
    }
    place(run, entry, admission, effects, jobs);
  }
}

function place(
  run: LiveRun,
  entry: Job["entry"],
  admission: Awaited<ReturnType<typeof admit>>,
  effects: BatchEffects,
  jobs: Job[],
): void {
  switch (admission.type) {
    case "run":
      run.state.counters.toolCalls++;
      jobs.push({ entry, prepared: admission.prepared });
      return;
    case "result":
      run.state.counters.toolCalls++;
      entry.result = notExecuted(run, admission.result);
      return;
    case "wait":
      entry.waiting = { requestId: admission.request.id };
      effects.requests.push(admission.request);
      return;
    case "control":
      effects.control = strongerControl(effects.control, admission.control);
      return;
  }
}

function runJobs(
  run: LiveRun,
  batch: LiveBatch,
  blocks: readonly ToolCallBlock[],
  effects: BatchEffects,
  jobs: readonly Job[],
): Awaitable<void> {
  const running = jobs.length === 1 ? runJob(run, jobs[0] as Job, effects) : runMany(run, jobs, effects);
  if (running instanceof Promise) return running.then(() => finishBatch(run, batch, blocks, effects));
  return finishBatch(run, batch, blocks, effects);
}

function runMany(run: LiveRun, jobs: readonly Job[], effects: BatchEffects): Awaitable<void> {
  if (jobs.length === 0) return;
  return inParallel(jobs, {
    most: run.state.config.limits.maxConcurrency,
    mayOverlap: ({ prepared }) => isConcurrencySafe(prepared.invocation.policy),
    goesOn: () => run.cancellation.reason === undefined,
    work: (job) => runJob(run, job, effects),
  });
}

function runJob(run: LiveRun, { entry, prepared }: Job, effects: BatchEffects): Awaitable<void> {
  const outcome = runCall(run, prepared, entry);
  if (outcome instanceof Promise) return outcome.then((settled) => settleJob(entry, settled, effects));
  return settleJob(entry, outcome, effects);
}

function settleJob(entry: Job["entry"], outcome: CallOutcome, effects: BatchEffects): void {
  if (outcome.control !== undefined) effects.control = strongerControl(effects.control, outcome.control);
  if (outcome.stop !== undefined) effects.stop ??= outcome.stop;
  if (outcome.requests !== undefined) effects.requests.push(...outcome.requests);
  if (outcome.waiting !== undefined) entry.waiting = outcome.waiting;
  else if (outcome.result !== undefined) entry.result = outcome.result;
}

/** All calls have run that can: results into the history, and on to what the batch has led to. */
function finishBatch(
  run: LiveRun,
  batch: LiveBatch,
  blocks: readonly ToolCallBlock[],
  effects: BatchEffects,
): Awaitable<void> {
  const { state } = run;
  run.throwIfCancelled();
  if (effects.requests.length > 0) {
    pause(run, effects.requests, "tools");
    return;
  }
  const { control } = effects;
  if (control !== undefined && !isAlreadyDue(control)) return honour(run, control, "tools").then(() => {});
  const results = batch.calls.map((entry, i) => resultOf(entry, blocks[i]));
  const told = judgeProgress(run, blocks, results);
  for (const result of told) state.messages.push(result);
  state.batch = null;
  state.usage = { ...state.usage, toolCalls: state.counters.toolCalls };
  if (effects.stop !== undefined) {
    state.stop = effects.stop;
    state.phase = "finalize";
  } else if (effects.capped) hitLimit(run, "maxToolCalls", state.config.limits.maxToolCalls);
  else state.phase = state.edits.length > 0 ? "compact" : "dispatch";
}

/** A jump to the tools, out of their own phase, is where the run is already. */
function isAlreadyDue(control: ControlBy): boolean {
  return control.type === "retry" || (control.type === "jump" && control.to === "tools");
}

function resultOf(entry: BatchCall, block: ToolCallBlock | undefined): ToolMessage {
  return entry.result ?? notRun(block ?? { id: entry.callId, name: "" }, "not_run", "This call was not run.");
}
