import {
  type AgentInput,
  type AgentMachine,
  type AgentRun,
  type AgentState,
  isEnd,
  isTinyAgentsError,
  type JsonObject,
  type JsonValue,
  readAgentState,
  type StartOptions,
  type StepContext,
  TinyAgentsError,
  type Tool,
} from "@tinyagents/core";
import { type AgentDefinition, defineAgent } from "./definition.js";
import { refuseMovedThread } from "./machine/memory.js";
import { moveOneStep, moveRecorded, moveToEnd } from "./machine/step.js";
import { outputAgain } from "./machine/validate.js";
import type {
  AgentOptions,
  OutputOf,
  OutputOption,
  ResumeOptions,
  ResumeStreamOptions,
  RunOptions,
  StreamOptions,
} from "./options.js";
import { loadRecorded } from "./recorded-run.js";
import { applyResume, notOvertaken, reopen } from "./resume.js";
import { LiveRun, type LiveRunOptions } from "./run/live-run.js";
import { handOut, type LiveState, takeOver } from "./run/live-state.js";
import { configBelow, newState, rootConfig, surroundingsBelow } from "./run/new-run.js";
import { runResult } from "./run/result.js";
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
   * @throws `resume_mismatch` for another agent's run, one that has ended or (says a recorder) gone on, or a wrong answer.
   */
  resume(run: AgentState | string, options?: ResumeOptions): Promise<AgentRun<Output>>;
  /** The same as a stream of items. What {@link Agent.resume} throws, the stream throws. */
  resumeStream(run: AgentState | string, options?: ResumeStreamOptions): AgentStream<Output>;
  /** This agent as a tool of another. */
  asTool(options: AgentToolOptions): Tool<JsonObject, Promise<unknown>>;
}

/** Makes an agent. The type of `run.output` comes from `output`. @throws TypeError and `tool_schema_invalid` for options that cannot be. */
export function createAgent<const O extends OutputOption | undefined = undefined>(
  options: AgentOptions<O>,
): Agent<OutputOf<O>> {
  return new DefinedAgent<OutputOf<O>>(defineAgent(options));
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
    const run = new LiveRun(this.#definition, takeOver(state), context);
    try {
      await supervise(run, moveOneStep(run));
    } finally {
      run.noteTime();
      run.close();
    }
    return handOut(run.takeState());
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

  async resume(run: AgentState | string, options: ResumeOptions = {}): Promise<AgentRun<Output>> {
    return this.#drive(await this.#reopened(run, options), options, options);
  }

  resumeStream(run: AgentState | string, options: ResumeStreamOptions = {}): AgentStream<Output> {
    return agentStream<Output>(
      async (emit, modes, owner) =>
        this.#drive(await this.#reopened(run, options), { ...options, emit, modes, owner }, options),
      options.modes,
    );
  }

  asTool(options: AgentToolOptions): Tool<JsonObject, Promise<unknown>> {
    return agentTool(this, options);
  }

  async runBelow(parent: ParentRun, input: string, signal: AbortSignal): Promise<AgentRun<unknown>> {
    const config = configBelow(this.#definition, parent);
    const surroundings = surroundingsBelow(parent, signal);
    const recorded = await loadRecorded(parent.context.recorder, config.runId);
    if (recorded === undefined || recorded.state.phase === "done") {
      return this.#drive(
        recorded === undefined ? newState(this.#definition, input, config, surroundings) : takeOver(recorded.state),
        surroundings,
      );
    }
    return this.#drive(reopen(this.name, recorded.state, undefined, recorded.toolResults), surroundings, {});
  }

  resumeBelow(
    parent: ParentRun,
    state: JsonValue,
    answers: JsonObject,
    signal: AbortSignal,
  ): Promise<AgentRun<unknown>> {
    return this.#drive(reopen(this.name, readAgentState(state), undefined), surroundingsBelow(parent, signal), {
      answers,
    });
  }

  async #drive(state: LiveState, options: LiveRunOptions, resume?: ResumeOptions): Promise<AgentRun<Output>> {
    if (resume !== undefined) await refuseMovedThread(this.#definition, state);
    const run = new LiveRun(this.#definition, state, options);
    try {
      if (resume !== undefined) {
        applyResume(run, resume);
        if (!isEnd(run.state.phase)) run.emitUnnumbered("run.started", { agent: this.name, resumed: true });
      }
      await supervise(run, run.recorder === undefined ? moveToEnd(run) : moveRecorded(run));
    } catch (error) {
      throw brokenOff(run, error);
    } finally {
      run.noteTime();
      run.close();
    }
    const ended = run.takeState();
    const output = run.output ?? outputAgain(this.#definition, ended);
    const result = runResult<Output>(ended, output instanceof Promise ? await output : output);
    if (ended.phase !== "failed") return result;
    throw withRun(run.failure ?? recordedFailure(ended), result);
  }

  async #reopened(run: AgentState | string, { limits, recorder }: ResumeOptions): Promise<LiveState> {
    const from = recorder ?? this.#definition.recorder;
    if (typeof run !== "string") {
      const state = readAgentState(run as unknown as JsonValue);
      const recorded = await loadRecorded(from, state.config.runId);
      return reopen(this.name, notOvertaken(state, recorded), limits, recorded?.toolResults);
    }
    if (/^\s*["[{]/.test(run)) throw notAnId();
    const recorded = await loadRecorded(from, run);
    if (recorded !== undefined) return reopen(this.name, recorded.state, limits, recorded.toolResults);
    if (run.length > LONGEST_ID_SHOWN) throw notAnId();
    const reason =
      from === undefined ? "the agent has no recorder to look it up in" : "the recorder knows no run with this id";
    throw new TinyAgentsError("resume_mismatch", `The run "${run}" cannot be resumed: ${reason}.`, {
      details: { reason },
    });
  }

  #newState(input: AgentInput, options: RunOptions): LiveState {
    return newState(this.#definition, input, rootConfig(this.#definition, options), options);
  }
}

const LONGEST_ID_SHOWN = 200;

/** The text is not in it: a state holds what was said. */
function notAnId(): TinyAgentsError<"resume_mismatch"> {
  const reason = "this looks like a state: read it with readAgentState";
  return new TinyAgentsError("resume_mismatch", `The run cannot be resumed: ${reason}.`, { details: { reason } });
}

/**
 * The recorder, or whoever takes the items, failed. The run is not at an end in its state, so that it can be resumed;
 * to everybody else it has ended, and what there is of it goes with the error.
 */
function brokenOff(run: LiveRun, error: unknown): unknown {
  if (!isTinyAgentsError(error)) return error;
  if (!isEnd(run.state.phase)) run.event()?.("run.failed", { error: error.toJSON() });
  return withRun(error, runResult(run.state));
}
