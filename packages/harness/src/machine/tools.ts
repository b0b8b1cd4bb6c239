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
import type { Awaitable } from "../awaitable.js";
import type { LiveRun } from "../run/live-run.js";
import type { LiveBatch } from "../run/live-state.js";
import { type Admission, admit } from "../tools/admit.js";
import { beginCall, type CallOutcome, endCall, notExecuted } from "../tools/call.js";
import type { CallEnd } from "../tools/execute.js";
import type { Executed } from "../tools/finish.js";
import type { PreparedCall } from "../tools/prepare.js";
import { Lanes, type Schedule } from "../tools/schedule.js";
import { honour, middlewareRequest, stopBy } from "./control.js";
import { hitLimit } from "./limit.js";
import { notRun } from "./open-calls.js";
import { pause } from "./pause.js";
import { judgeProgress, refusesRepeat } from "./progress.js";

/** What a batch has led to besides results. */
interface BatchEffects {
  requests: readonly PauseRequest[] | undefined;
  stop: RunStop | undefined;
  control: ControlBy | undefined;
  capped: boolean;
}

/** A call that was admitted, on its way to its end. */
class Job implements CallEnd {
  readonly entry: LiveBatch["calls"][number];
  readonly prepared: PreparedCall;
  readonly #batch: BatchRun;

  constructor(batch: BatchRun, entry: Job["entry"], prepared: PreparedCall) {
    this.#batch = batch;
    this.entry = entry;
    this.prepared = prepared;
  }

  ended(executed: Executed): void {
    this.#batch.settle(this, executed);
  }

  failed(error: unknown): void {
    this.#batch.lanes.failed(error);
  }
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
  const running = new BatchRun(run, batch);
  const admitting = running.admitFrom(0);
  if (admitting instanceof Promise) return admitting.then(() => running.runJobs());
  return running.runJobs();
}

/** One batch on its way. */
class BatchRun implements Schedule<Job> {
  readonly most: number;
  readonly lanes: Lanes<Job>;
  readonly #run: LiveRun;
  readonly #batch: LiveBatch;
  readonly #blocks: readonly ToolCallBlock[];
  readonly #effects: BatchEffects = { requests: undefined, stop: undefined, control: undefined, capped: false };
  jobs: Job[] = [];
  /** The batch repeats an earlier one that came to nothing. */
  readonly #refused: boolean;

  constructor(run: LiveRun, batch: LiveBatch) {
    this.#run = run;
    this.#batch = batch;
    this.#blocks = blocksOf(run, batch);
    this.#refused = refusesRepeat(run, this.#blocks);
    this.most = run.definition.policies.toolExecution === "sequential" ? 1 : run.state.config.limits.maxConcurrency;
    this.lanes = new Lanes(this);
  }

  /** Checks the calls one after the other; goes on synchronously for as long as the checks do. */
  admitFrom(from: number): Awaitable<void> {
    const { calls, modelCallId } = this.#batch;
    for (let i = from; i < calls.length; i++) {
      const entry = calls[i];
      const block = this.#blocks[i];
      if (entry === undefined || block === undefined || isSettled(entry)) continue;
      const refusal = entry.waiting === undefined ? this.#refusal() : undefined;
      if (refusal !== undefined) {
        entry.result = notExecuted(this.#run, notRun(block, "not_run", refusal));
        continue;
      }
      const admission = admit(this.#run, block, entry, modelCallId);
      if (admission instanceof Promise) return this.#admitLater(i, entry, admission);
      this.#place(entry, admission);
      if (endsRun(this.#effects.control)) return;
    }
  }

  async #admitLater(place: number, entry: Job["entry"], admitting: Promise<Admission>): Promise<void> {
    this.#place(entry, await admitting);
    if (!endsRun(this.#effects.control)) await this.admitFrom(place + 1);
  }

  /** Runs what was admitted. */
  runJobs(): Awaitable<void> {
    // Checks, hooks and approvals may have taken their time.
    this.#run.throwIfCancelled();
    if (!endsRun(this.#effects.control)) return this.lanes.run();
    this.#run.state.counters.toolCalls -= this.jobs.filter(({ entry }) => entry.waiting === undefined).length;
    return this.allEnded();
  }

  mayOverlap({ prepared }: Job): boolean {
    return isConcurrencySafe(prepared.invocation.policy);
  }

  goesOn(): boolean {
    return this.#run.cancellation.reason === undefined && this.#run.state.limit === null;
  }

  start(job: Job): void {
    try {
      beginCall(this.#run, job.prepared, job.entry, job);
    } catch (error) {
      job.failed(error);
    }
  }

  /** Why a call is not even looked at; nothing when it is. */
  #refusal(): string | undefined {
    const { counters, config } = this.#run.state;
    if (counters.toolCalls >= config.limits.maxToolCalls) {
      this.#effects.capped = true;
      return "This call was not run: the run has reached its limit of tool calls.";
    }
    if (!this.#refused) return undefined;
    counters.toolCalls++;
    return "This call was not run: the same call has been made before with the same result. Do something else, or give your answer.";
  }

  #place(entry: Job["entry"], admission: Admission): void {
    const { counters } = this.#run.state;
    const effects = this.#effects;
    switch (admission.type) {
      case "run":
        // A call that goes on after a pause was counted when it began.
        if (entry.waiting === undefined) counters.toolCalls++;
        this.#add(new Job(this, entry, admission.prepared));
        return;
      case "result":
        counters.toolCalls++;
        entry.result = notExecuted(this.#run, admission.result);
        return;
      case "wait":
        entry.waiting = { requestId: admission.request.id };
        effects.requests = [...(effects.requests ?? []), admission.request];
        return;
      case "control":
        effects.control = strongerControl(effects.control, admission.control);
        return;
    }
  }

  /** Most batches have one call: the list is no larger than need be. */
  #add(job: Job): void {
    if (this.jobs.length === 0) this.jobs = [job];
    else this.jobs.push(job);
  }

  /** A call has its result, or waits: notes it, when the hooks after it have looked. */
  settle({ entry, prepared }: Job, executed: Executed): void {
    // A call that pauses goes on as it was approved: nobody is asked twice.
    const { approvedArgsJson } = prepared;
    if (approvedArgsJson !== undefined && executed.outcome?.type === "interrupt")
      entry.approvedArgsJson = approvedArgsJson;
    try {
      const outcome = endCall(this.#run, prepared.invocation, executed);
      if (outcome instanceof Promise) {
        void this.#settleLater(entry, outcome);
        return;
      }
      this.#note(entry, outcome);
    } catch (error) {
      this.lanes.failed(error);
      return;
    }
    this.lanes.ended();
  }

  async #settleLater(entry: Job["entry"], ending: Promise<CallOutcome>): Promise<void> {
    try {
      this.#note(entry, await ending);
    } catch (error) {
      this.lanes.failed(error);
      return;
    }
    this.lanes.ended();
  }

  #note(entry: Job["entry"], { result, waiting, requests, stop, control, failure }: CallOutcome): void {
    const effects = this.#effects;
    if (control !== undefined) effects.control = strongerControl(effects.control, control);
    if (stop !== undefined) effects.stop ??= stop;
    if (requests !== undefined) effects.requests = [...(effects.requests ?? []), ...requests];
    if (waiting !== undefined) entry.waiting = waiting;
    else if (result !== undefined) entry.result = result;
    if (failure !== undefined) throw failure.error;
  }

  /** What calls ask, in call order, and what a hook asks besides. */
  #allRequests(requests: readonly PauseRequest[], control: ControlBy | undefined): readonly PauseRequest[] {
    const ordered = inCallOrder(this.#batch, requests);
    if (control?.type !== "interrupt") return ordered;
    this.#run.event()?.("control.applied", { control: control.type, by: control.by });
    return [...ordered, middlewareRequest(this.#run, control)];
  }

  /** All calls have run that can: results into the history, and on to what the batch has led to. */
  allEnded(): Awaitable<void> {
    const run = this.#run;
    const { state } = run;
    const { requests, control, stop, capped } = this.#effects;
    run.throwIfCancelled();
    if (requests !== undefined && control?.type !== "fail") {
      // What ended the run is kept: the calls that asked for it have their results and do not run again.
      state.stop = stop ?? (control?.type === "stop" ? stopBy(control) : state.stop);
      pause(run, this.#allRequests(requests, control), "tools");
      return;
    }
    if (control !== undefined && !isAlreadyDue(control)) return honour(run, control, "tools").then(() => {});
    const results = this.#batch.calls.map((entry, i) => resultOf(entry, this.#blocks[i]));
    state.messages.push(...judgeProgress(run, this.#blocks, results));
    state.batch = null;
    run.forgetFailures();
    state.usage = { ...state.usage, toolCalls: state.counters.toolCalls };
    state.stop = stop ?? state.stop;
    if (state.stop !== null) state.phase = "finalize";
    else if (state.limit !== null) state.phase = "limit";
    else if (capped) hitLimit(run, "maxToolCalls", state.config.limits.maxToolCalls);
    else state.phase = state.edits.length > 0 ? "compact" : "dispatch";
  }
}

/** Calls that may overlap ask in any order; their requests stand in call order. */
function inCallOrder({ calls }: LiveBatch, requests: readonly PauseRequest[]): readonly PauseRequest[] {
  const placeOf = ({ viaCallId, callId }: PauseRequest): number =>
    calls.findIndex((call) => call.callId === (viaCallId ?? callId));
  return requests.toSorted((one, other) => placeOf(one) - placeOf(other));
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

/** Whether a call has its result, or waits for somebody's answer. */
function isSettled({ result, waiting }: BatchCall): boolean {
  return result !== undefined || waiting?.requestId !== undefined;
}

/** A hook that ends the run before anything of the batch has run: nothing of it does. */
function endsRun(control: ControlBy | undefined): boolean {
  return control?.type === "fail" || control?.type === "stop";
}

/** A jump to the tools, out of their own phase, is where the run is already. */
function isAlreadyDue(control: ControlBy): boolean {
  return control.type === "retry" || (control.type === "jump" && control.to === "tools");
}

function resultOf(entry: BatchCall, block: ToolCallBlock | undefined): ToolMessage {
  return entry.result ?? notRun(block ?? { id: entry.callId, name: "" }, "not_run", "This call was not run.");
}
