import {
  type AgentInput,
  type AgentMachine,
  type AgentRun,
  type AgentState,
  emptyUsage,
  errorFromRecord,
  isEnd,
  isTinyAgentsError,
  type JsonObject,
  type JsonValue,
  type Limits,
  narrowLimits,
  type ResolvedLimits,
  type RunConfig,
  type RunSurroundings,
  randomIds,
  resolveLimits,
  type StartOptions,
  type StepContext,
  systemClock,
  TinyAgentsError,
  type Tool,
  toMessages,
} from "@tinyagents/core";
import { type AgentDefinition, defineAgent } from "./definition.js";
import { moveOneStep, moveToEnd } from "./machine/step.js";
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
import { readAgentState } from "./read-state.js";
import { applyResume, notOvertaken, reopen } from "./resume.js";
import { LiveRun, type LiveRunOptions } from "./run/live-run.js";
import { handOut, type LiveState, takeOver } from "./run/live-state.js";
import { runResult } from "./run/result.js";
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
   * @throws `resume_mismatch` for another agent's run, one that has ended, an answer that it did not ask for, or a state
   * that the run has left behind, as far as a recorder knows: what was answered once is not answered again.
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

const IDS = randomIds();

class DefinedAgent<Output> implements Agent<Output>, ChildAgent {
  readonly name: string;
  readonly #definition: AgentDefinition;

  constructor(definition: AgentDefinition) {
    this.#definition = definition;
    this.name = definition.name;
  }

  initialState(input: AgentInput, options: StartOptions = {}): AgentState {
    return handOut(this.#newState(input, this.#config(options), {}));
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
    return this.#drive(this.#newState(input, this.#config(options), options), options);
  }

  stream(input: AgentInput, options: StreamOptions = {}): AgentStream<Output> {
    const state = this.#newState(input, this.#config(options), options);
    return agentStream<Output>(
      (emit, modes, owner) => this.#drive(state, { ...options, emit, modes, owner }),
      options.modes,
    );
  }

  start(input: AgentInput, options: RunOptions = {}): RunHandle<Output> {
    const state = this.#newState(input, this.#config(options), options);
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
    const config = this.#configBelow(parent);
    const surroundings = surroundingsOf(parent, signal);
    const recorded = await parent.context.recorder?.load(config.runId);
    if (recorded === undefined || recorded.state.phase === "done") {
      return this.#drive(
        recorded === undefined ? this.#newState(input, config, surroundings) : takeOver(recorded.state),
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
    return this.#drive(reopen(this.name, readAgentState(state), undefined), surroundingsOf(parent, signal), {
      answers,
    });
  }

  async #drive(state: LiveState, options: LiveRunOptions, resume?: ResumeOptions): Promise<AgentRun<Output>> {
    const run = new LiveRun(this.#definition, state, options);
    try {
      if (resume !== undefined) {
        applyResume(run, resume);
        if (!isEnd(run.state.phase)) run.emitUnnumbered("run.started", { agent: this.name, resumed: true });
      }
      if (run.recorder !== undefined) await run.recorder.step(handOut(run.state));
      await supervise(run, moveToEnd(run));
    } catch (error) {
      // The recorder, or whoever takes the items, failed: the run is not at an end, but what there is of it is told.
      throw isTinyAgentsError(error) ? withRun(error, runResult(run.state)) : error;
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
      const recorded = await from?.load(state.config.runId);
      return reopen(this.name, notOvertaken(state, recorded), limits, recorded?.toolResults);
    }
    const recorded = await from?.load(run);
    if (recorded !== undefined) return reopen(this.name, recorded.state, limits, recorded.toolResults);
    const reason =
      from === undefined ? "the agent has no recorder to look it up in" : "the recorder knows no run with this id";
    throw new TinyAgentsError("resume_mismatch", `The run "${run}" cannot be resumed: ${reason}.`, {
      details: { reason },
    });
  }

  #config(options: StartOptions & Pick<RunSurroundings, "ids">): RunConfig {
    const { limits } = this.#definition;
    const runId = options.runId ?? (options.ids ?? this.#definition.ids ?? IDS).next("run");
    return {
      runId,
      rootRunId: runId,
      ...(options.threadId === undefined ? {} : { threadId: options.threadId }),
      depth: 0,
      tags: options.tags ?? [],
      metadata: options.metadata ?? {},
      configurable: options.configurable ?? {},
      limits: options.limits === undefined ? limits : overridden(limits, options.limits),
    };
  }

  #configBelow({ context, childRunId, limits }: ParentRun): RunConfig {
    const { config } = context;
    return {
      runId: childRunId,
      rootRunId: config.rootRunId,
      parentRunId: config.runId,
      depth: config.depth + 1,
      tags: config.tags,
      metadata: config.metadata,
      configurable: config.configurable,
      limits: narrowLimits(this.#definition.limits, limits),
    };
  }

  #newState(input: AgentInput, config: RunConfig, { clock }: Pick<RunSurroundings, "clock">): LiveState {
    return {
      v: 1,
      agent: this.name,
      phase: "start",
      config,
      messages: [...toMessages(input)],
      newFrom: 0,
      counters: { steps: 0, modelCalls: 0, toolCalls: 0, retries: 0, corrections: 0 },
      usage: emptyUsage(),
      childUsage: emptyUsage(),
      usageByModel: [],
      cost: null,
      unpricedCalls: 0,
      seq: 0,
      startedAtMs: (clock ?? this.#definition.clock ?? systemClock).now(),
      activeMs: 0,
      middleware: {},
      memoryVersion: null,
      lastResponse: null,
      batch: null,
      edits: [],
      recentTurns: [],
      repeats: 0,
      limit: null,
      finalizing: false,
      output: null,
      stop: null,
      answers: {},
      requests: [],
      resumeAt: null,
      error: null,
    };
  }
}

function overridden(own: ResolvedLimits, limits: Limits): ResolvedLimits {
  const { maxTotalTokens, wallClockMs, ...rest } = own;
  return resolveLimits({ ...rest, maxTotalTokens, wallClockMs, ...limits });
}

function surroundingsOf({ context }: ParentRun, signal: AbortSignal): LiveRunOptions {
  const { data, clock, ids, random, events, recorder } = context;
  return { data, clock, ids, random, events, recorder, stores: storesOf(context), signal };
}

function storesOf(context: ParentRun["context"]): LiveRunOptions["stores"] {
  try {
    return context.stores;
  } catch (error) {
    if (isTinyAgentsError(error, "invalid_request")) return undefined;
    throw error;
  }
}

function recordedFailure(state: LiveState): TinyAgentsError {
  if (state.error !== null) return errorFromRecord(state.error);
  return new TinyAgentsError("internal", "The run failed without an error.", { details: { reason: "no_error" } });
}

/** The run as far as it got goes with its error, out of sight of `JSON.stringify` and of loggers. */
function withRun(error: TinyAgentsError, run: AgentRun<unknown>): TinyAgentsError {
  return Object.defineProperty(error, "run", { value: run, enumerable: false, configurable: true, writable: true });
}

/** The run that an error ended, as far as it got; nothing for an error that is not a run's. */
export function runOf(error: unknown): AgentRun<unknown> | undefined {
  return isTinyAgentsError(error) ? (error as { readonly run?: AgentRun<unknown> }).run : undefined;
}
