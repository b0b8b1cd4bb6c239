import {
  type AgentInput,
  type AgentMachine,
  type AgentRun,
  type AgentState,
  isEnd,
  isTinyAgentsError,
  type JsonObject,
  type JsonValue,
  type RecordedRun,
  type RunConfig,
  readAgentState,
  type StartOptions,
  type StepContext,
  type Tool,
} from "@tinyagents/core";
import { type AgentDefinition, defineAgent } from "./definition.js";
import { definitionBelow } from "./definition-below.js";
import { refuseMovedThread } from "./machine/memory.js";
import { moveOneStep, moveToEnd } from "./machine/step.js";
import { outputAgain } from "./machine/validate.js";
import type {
  AgentOptions,
  OutputOf,
  OutputSchema,
  ResumeOptions,
  ResumeStreamOptions,
  RunOptions,
  StreamOptions,
} from "./options.js";
import { loadRecorded, moveRecorded, readResumed, reopenResumed } from "./recorded-run.js";
import { announceRestoredCalls, applyResume, hasGoneOn, reopen, resumeMismatch } from "./resume.js";
import { LiveRun, type LiveRunOptions } from "./run/live-run.js";
import { handOut, type LiveState, takeOver } from "./run/live-state.js";
import { giveBack, handOutAfterStep, takeForStep } from "./run/moved-state.js";
import { configBelow, newState, newStateBelow, rootConfig, surroundingsBelow } from "./run/new-run.js";
import { runResult } from "./run/result.js";
import { claimRun, whileClaimed } from "./run/run-claim.js";
import { recordedFailure, withRun } from "./run/run-error.js";
import { supervise } from "./run/supervise.js";
import { type RunHandle, runHandle } from "./run-handle.js";
import { type AgentStream, agentStream } from "./stream.js";
import { type AgentToolOptions, agentTool, type ChildAgent, type ParentRun } from "./sub-agent.js";

/** An agent: a model, tools and policies. Holds no state of any run; use it for as many at once as you like. */
export interface Agent<Output = undefined> extends AgentMachine {
  /**
   * Runs to the end. A run that pauses resolves too: see `status` and `requests`.
   * @throws the typed error of a run that fails. Its `run` (not enumerable) is the run as far as it got, to be resumed.
   */
  invoke(input: AgentInput, options?: RunOptions): Promise<AgentRun<Output>>;
  /** The same as a stream of items. */
  stream(input: AgentInput, options?: StreamOptions): AgentStream<Output>;
  /** The same in the background. */
  start(input: AgentInput, options?: RunOptions): RunHandle<Output>;
  /**
   * Goes on with a run that paused, failed or was cut off: from its state, or by its id from the recorder. No tool call
   * whose result is known runs again.
   * @throws `resume_mismatch` for another agent's run, one that has ended or (says a recorder) gone on, or a wrong answer;
   * `conflict`, before anything is done, for a run that somebody else moves, where its recorder gives leases.
   */
  resume(run: AgentState | string, options?: ResumeOptions): Promise<AgentRun<Output>>;
  /** The same as a stream of items. What {@link Agent.resume} throws, the stream throws. */
  resumeStream(run: AgentState | string, options?: ResumeStreamOptions): AgentStream<Output>;
  /** This agent as a tool of another. */
  asTool(options: AgentToolOptions): Tool<JsonObject, Promise<unknown>>;
}

/** Makes an agent. The type of `run.output` comes from `output`. @throws TypeError and `tool_schema_invalid` for options that cannot be. */
export function createAgent<const S extends OutputSchema | undefined = undefined>(
  options: AgentOptions<S>,
): Agent<OutputOf<S>> {
  return new DefinedAgent<OutputOf<S>>(defineAgent(options));
}

class DefinedAgent<Output> implements Agent<Output>, ChildAgent {
  readonly name: string;
  readonly #definition: AgentDefinition;

  constructor(definition: AgentDefinition) {
    this.#definition = definition;
    this.name = definition.name;
  }

  initialState(input: AgentInput, options: StartOptions = {}): AgentState {
    return handOut(newState(this.#definition, input, rootConfig(this.#definition, options), {}));
  }

  async step(state: AgentState, context: StepContext = {}): Promise<AgentState> {
    const run = new LiveRun(this.#definition, takeForStep(state), context);
    try {
      await supervise(run, moveOneStep(run));
    } catch (error) {
      giveBack(state);
      throw error;
    } finally {
      run.noteTime();
      run.close();
    }
    return handOutAfterStep(run.takeState());
  }

  invoke(input: AgentInput, options: RunOptions = {}): Promise<AgentRun<Output>> {
    return this.#drive(this.#newState(input, options), options);
  }

  stream(input: AgentInput, options: StreamOptions = {}): AgentStream<Output> {
    const state = this.#newState(input, options);
    return agentStream<Output>(
      (emit, modes, owner) => this.#drive(state, { ...options, emit, modes, owner }),
      options.modes,
    );
  }

  start(input: AgentInput, options: RunOptions = {}): RunHandle<Output> {
    const state = this.#newState(input, options);
    return runHandle<Output>(state.config.runId, (emit, modes, owner) =>
      this.#drive(state, { ...options, emit, modes, owner }),
    );
  }

  resume(run: AgentState | string, options: ResumeOptions = {}): Promise<AgentRun<Output>> {
    return this.#goOn(run, options, options);
  }

  resumeStream(run: AgentState | string, options: ResumeStreamOptions = {}): AgentStream<Output> {
    return agentStream<Output>(
      (emit, modes, owner) => this.#goOn(run, { ...options, emit, modes, owner }, options),
      options.modes,
    );
  }

  asTool(options: AgentToolOptions): Tool<JsonObject, Promise<unknown>> {
    return agentTool(this, options);
  }

  runBelow(parent: ParentRun, input: string, signal: AbortSignal): Promise<AgentRun<unknown>> {
    const config = configBelow(this.#definition, parent);
    return this.#below(parent, config.runId, signal, async (agent, options) => {
      const recorded = await loadRecorded(options.recorder, config.runId);
      if (recorded !== undefined) return agent.#goOnBelow(ofParent(recorded, config), options);
      return agent.#drive(newStateBelow(agent.#definition, input, parent, config, options), options);
    });
  }

  async resumeBelow(
    parent: ParentRun,
    state: JsonValue,
    answers: JsonObject,
    signal: AbortSignal,
  ): Promise<AgentRun<unknown>> {
    const paused = readAgentState(state);
    const { runId } = paused.config;
    return this.#below(parent, runId, signal, async (agent, options) => {
      const recorded = await loadRecorded(options.recorder, runId);
      // The parent was cut off after its answers had arrived: the child has used them.
      if (recorded !== undefined && hasGoneOn(paused, recorded.state)) return agent.#goOnBelow(recorded, options);
      return agent.#drive(reopen(agent.name, paused, undefined, recorded), options, { answers });
    });
  }

  /** Does something with a run below another: within its parent's policies, and as its owner, since its parent is owned. */
  async #below<T>(
    parent: ParentRun,
    runId: string,
    signal: AbortSignal,
    work: (agent: DefinedAgent<Output>, options: LiveRunOptions) => Promise<T>,
  ): Promise<T> {
    const agent = new DefinedAgent<Output>(definitionBelow(this.#definition, parent.context));
    const surroundings = surroundingsBelow(this.#definition, parent, signal);
    const claim = await claimRun(surroundings.recorder, runId, { takeOver: true });
    return whileClaimed(claim, () => work(agent, { ...surroundings, claim }));
  }

  #goOnBelow(recorded: RecordedRun, options: LiveRunOptions): Promise<AgentRun<Output>> {
    const { state } = recorded;
    if (state.phase === "done") return this.#drive(takeOver(state), options);
    return this.#drive(reopen(this.name, state, undefined, recorded), options, {});
  }

  async #goOn(run: AgentState | string, options: LiveRunOptions, resume: ResumeOptions): Promise<AgentRun<Output>> {
    const resumed = readResumed(run);
    const recorder = options.recorder ?? this.#definition.recorder;
    const claim = await claimRun(recorder, resumed.runId);
    return whileClaimed(claim, async () => {
      const state = await reopenResumed(this.name, resumed, recorder, resume.limits);
      return this.#drive(state, { ...options, claim }, resume);
    });
  }

  async #drive(state: LiveState, options: LiveRunOptions, resume?: ResumeOptions): Promise<AgentRun<Output>> {
    if (resume !== undefined) {
      await refuseMovedThread(this.#definition, state);
      await options.claim?.makeKnown();
    }
    const run = new LiveRun(this.#definition, state, options);
    try {
      if (resume !== undefined) {
        applyResume(run, resume);
        if (!isEnd(run.state.phase)) run.emitUnnumbered("run.started", { agent: this.name, resumed: true });
        announceRestoredCalls(run);
      }
      await supervise(run, run.recorder === undefined ? moveToEnd(run) : moveRecorded(run));
    } catch (error) {
      throw brokenOff(run, error);
    } finally {
      run.noteTime();
      run.close();
      // A run that left its recorder behind does not wait for it.
      void run.claim?.release();
    }
    const ended = run.takeState();
    const output = run.output ?? outputAgain(this.#definition, ended);
    const result = runResult<Output>(ended, output instanceof Promise ? await output : output);
    if (ended.phase !== "failed") return result;
    throw withRun(run.failure ?? recordedFailure(ended), result);
  }

  #newState(input: AgentInput, options: RunOptions): LiveState {
    return newState(this.#definition, input, rootConfig(this.#definition, options), options);
  }
}

/** @throws `resume_mismatch` when what is recorded is no run of this parent: somebody gave another run its id. */
function ofParent(recorded: RecordedRun, { runId, parentRunId }: RunConfig): RecordedRun {
  if (recorded.state.config.parentRunId === parentRunId) return recorded;
  throw resumeMismatch(`another run has the id "${runId}"`, "The agent cannot be asked");
}

/**
 * The recorder, or whoever takes the items, failed. The run is not at an end in its state, so that it can be resumed;
 * to everybody else it has ended, and what there is of it goes with the error.
 */
function brokenOff(run: LiveRun, error: unknown): unknown {
  if (!isTinyAgentsError(error)) return error;
  if (!isEnd(run.state.phase)) run.event()?.("run.failed", { error: error.toJSON() });
  return withRun(error, { ...runResult(run.state), status: "failed", error: error.toJSON() });
}
