import {
  type AgentRun,
  type EventData,
  type InterruptOutcome,
  interrupt,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type PauseRequest,
  type ResolvedLimits,
  type RunContext,
  type RunStatus,
  TinyAgentsError,
  type Tool,
  type ToolOutcome,
  type ToolPolicy,
  type ToolRuntime,
  tool,
} from "@tinyagents/core";
import { runOf } from "./run/run-error.js";
import { LiveRunContext } from "./run/run-scope.js";

/** How an agent is offered to another as a tool. */
export interface AgentToolOptions {
  /** Default: the agent's name, with what tool names cannot have replaced by `_`. */
  readonly name?: string | undefined;
  /** What it does and when to ask it, for the model. */
  readonly description: string;
  readonly policy?: ToolPolicy | undefined;
  /** Added to the caller's, for the runs of this tool and those below them. */
  readonly tags?: readonly string[] | undefined;
  /** Added to the caller's, key by key, for the runs of this tool and those below them. */
  readonly metadata?: JsonObject | undefined;
}

/** What a run below another run is given by it. */
export interface ParentRun {
  readonly context: RunContext;
  /** Which taking up of the parent this is. */
  readonly attempt: number;
  readonly childRunId: string;
  /** What its limits may be at the most. */
  readonly limits: Partial<ResolvedLimits>;
  /** Its own: the parent's, and what was added. */
  readonly tags: readonly string[];
  readonly metadata: JsonObject;
}

/** The part of an agent that a sub-agent needs. */
export interface ChildAgent {
  readonly name: string;
  runBelow(parent: ParentRun, input: string, signal: AbortSignal): Promise<AgentRun<unknown>>;
  resumeBelow(
    parent: ParentRun,
    state: JsonValue,
    answers: JsonObject,
    signal: AbortSignal,
  ): Promise<AgentRun<unknown>>;
}

const REQUESTS_BELOW = new WeakMap<ToolOutcome, readonly PauseRequest[]>();

/** What a paused child waits for, of the outcome that its tool call gave. */
export function requestsBelow(outcome: ToolOutcome): readonly PauseRequest[] | undefined {
  return REQUESTS_BELOW.get(outcome);
}

const INPUT: JsonObject = {
  type: "object",
  properties: { task: { type: "string", description: "What to do, with everything that is needed to do it." } },
  required: ["task"],
  additionalProperties: false,
};

/**
 * An agent as a tool of another. Each call is a run of its own below the caller's: with its signal, stores, events and
 * data, within what is left of its limits, and counted in its tree. A child that pauses pauses the parent; the answers
 * reach it through the parent.
 * @throws TypeError for options that cannot be.
 */
export function agentTool(child: ChildAgent, options: AgentToolOptions): Tool<JsonObject, Promise<unknown>> {
  const added = addedBy(options);
  return tool({
    name: options.name ?? child.name.replaceAll(/[^a-zA-Z0-9_-]/g, "_"),
    description: options.description,
    input: INPUT,
    policy: options.policy ?? {},
    execute: (input, runtime) => callChild(child, added, input, runtime),
  });
}

/** What a child has besides what it inherits. */
type Added = Pick<ParentRun, "tags" | "metadata">;

function addedBy({ tags = [], metadata = {} }: AgentToolOptions): Added {
  if (!Array.isArray(tags) || !tags.every((tag) => typeof tag === "string")) {
    throw new TypeError("asTool: tags: a list of texts is expected");
  }
  if (!isJsonObject(metadata)) throw new TypeError("asTool: metadata: an object is expected");
  return { tags, metadata };
}

async function callChild(
  child: ChildAgent,
  added: Added,
  input: JsonObject,
  runtime: ToolRuntime,
): Promise<JsonValue | InterruptOutcome> {
  const parent = parentOf(child, added, runtime);
  const { context, childRunId } = parent;
  const { resumed, signal, callId } = runtime;
  const ended = (status: RunStatus, runId: string = childRunId): void =>
    note(context, "sub_agent.completed", { childRunId: runId, agent: child.name, callId, status });
  if (resumed === undefined) {
    note(context, "sub_agent.started", { childRunId, agent: child.name, callId, depth: context.config.depth + 1 });
  }
  let run: AgentRun<unknown>;
  try {
    run =
      resumed === undefined
        ? await child.runBelow(parent, String(input.task), signal)
        : await child.resumeBelow(parent, resumed.state, resumed.answers, signal);
  } catch (error) {
    const partial = runOf(error);
    if (partial !== undefined) countBelow(context, partial);
    ended("failed", partial?.runId);
    throw error;
  }
  if (run.status === "paused") {
    const outcome = interrupt(null, { state: run.state as unknown as JsonValue });
    REQUESTS_BELOW.set(outcome, run.requests);
    return outcome;
  }
  countBelow(context, run);
  ended(run.status, run.runId);
  return run.output === undefined ? run.text : (run.output as JsonValue);
}

/** @throws `recursion_limit` when the parent may have no run below it. */
function parentOf(child: ChildAgent, added: Added, runtime: ToolRuntime): ParentRun {
  const { run: context, callId, attempt } = runtime;
  const { depth, limits, runId, tags, metadata } = context.config;
  if (depth + 1 > limits.maxDepth) {
    note(context, "limit.reached", { limit: "maxDepth", allowed: limits.maxDepth });
    throw new TinyAgentsError(
      "recursion_limit",
      `The agent ${child.name} was not asked: runs may nest ${limits.maxDepth} deep. Raise limits.maxDepth.`,
      {
        details: { depth: depth + 1, allowed: limits.maxDepth },
      },
    );
  }
  // A repeat of the call is another run: it counts its own tokens, and its events have ids of their own.
  const childRunId = attempt === 1 ? `${runId}/${callId}` : `${runId}/${callId}.${attempt}`;
  return {
    context,
    attempt: context instanceof LiveRunContext ? context.attempt : 1,
    childRunId,
    limits: context.remainingLimits(),
    tags: [...tags, ...added.tags.filter((tag) => !tags.includes(tag))],
    metadata: { ...metadata, ...added.metadata },
  };
}

/** Adds a finished child's tree to its parent's, once. */
function countBelow(context: RunContext, run: AgentRun<unknown>): void {
  if (context instanceof LiveRunContext) context.addBelow(run);
}

function note<T extends "sub_agent.started" | "sub_agent.completed" | "limit.reached">(
  context: RunContext,
  type: T,
  data: EventData[T],
): void {
  if (context instanceof LiveRunContext) context.note(type, data);
}
