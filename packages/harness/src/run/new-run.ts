import {
  type AgentInput,
  emptyUsage,
  isTinyAgentsError,
  type Limits,
  narrowLimits,
  type ResolvedLimits,
  type RunConfig,
  type RunSurroundings,
  resolveLimits,
  type StartOptions,
  toMessages,
} from "@tinyagents/core";
import type { AgentDefinition } from "../definition.js";
import { selectionOf } from "../models/selection.js";
import type { ParentRun } from "../sub-agent.js";
import { checkUnknownTool } from "../tools/unknown-tool.js";
import type { LiveRunOptions } from "./live-run.js";
import type { LiveState } from "./live-state.js";
import { sinksBelow } from "./sinks-below.js";

/** Who a run is that no other run started. */
export function rootConfig(
  definition: AgentDefinition,
  options: StartOptions & Pick<RunSurroundings, "ids">,
): RunConfig {
  const { limits } = definition;
  const { unknownTool } = options;
  if (unknownTool !== undefined) checkUnknownTool(unknownTool, definition.tools, "options");
  const runId = options.runId ?? (options.ids ?? definition.ids).next("run");
  return {
    runId,
    rootRunId: runId,
    ...threadIn(options),
    depth: 0,
    tags: options.tags ?? [],
    metadata: options.metadata ?? {},
    configurable: options.configurable ?? {},
    limits: options.limits === undefined ? limits : overrideLimits(limits, options.limits),
    ...(unknownTool === undefined ? {} : { unknownTool }),
    ...selectionOf(definition, options),
  };
}

/** Who a run is below another: it inherits what its parent is, and no limit wider than what its parent has left. */
export function configBelow(
  definition: AgentDefinition,
  { context, childRunId, limits, tags, metadata }: ParentRun,
): RunConfig {
  const { config } = context;
  return {
    runId: childRunId,
    rootRunId: config.rootRunId,
    parentRunId: config.runId,
    ...threadIn(config),
    depth: config.depth + 1,
    tags,
    metadata,
    configurable: config.configurable,
    limits: narrowLimits(definition.limits, limits),
  };
}

function threadIn({ threadId }: { readonly threadId?: string | undefined }): Pick<RunConfig, "threadId"> {
  return threadId === undefined ? {} : { threadId };
}

/** What a run below another is given by it. Stores of its own agent stand before the parent's. */
export function surroundingsBelow(
  definition: AgentDefinition,
  { context }: ParentRun,
  signal: AbortSignal,
): LiveRunOptions {
  const { data, clock, ids, random, recorder } = context;
  const stores = definition.stores ?? storesOf(context);
  return { data, clock, ids, random, recorder, stores, events: sinksBelow(context.events, definition.events), signal };
}

/** Limits with some replaced; what is undefined replaces nothing. */
export function overrideLimits(own: ResolvedLimits, limits: Limits): ResolvedLimits {
  const resolved = resolveLimits(limits);
  const given = Object.entries(limits).filter(([, value]) => value !== undefined);
  const replaced = given.map(([name]) => [name, resolved[name as keyof Limits]]);
  return { ...own, ...Object.fromEntries(replaced) };
}

/** A run with nothing done yet. */
export function newState(
  definition: AgentDefinition,
  input: AgentInput,
  config: RunConfig,
  { clock }: Pick<RunSurroundings, "clock">,
): LiveState {
  return {
    v: 1,
    agent: definition.name,
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
    startedAtMs: (clock ?? definition.clock).now(),
    elapsedMs: 0,
    middleware: {},
    memoryVersion: null,
    lastResponse: null,
    batch: null,
    edits: [],
    recentBatches: [],
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

/**
 * The same for a run below another: in the attempt of its parent. An earlier one may have begun it too, and nothing but its
 * events be left of that.
 */
export function newStateBelow(
  definition: AgentDefinition,
  input: string,
  { attempt }: ParentRun,
  config: RunConfig,
  options: Pick<RunSurroundings, "clock">,
): LiveState {
  const state = newState(definition, input, config, options);
  if (attempt > 1) state.attempt = attempt;
  return state;
}

function storesOf(context: ParentRun["context"]): LiveRunOptions["stores"] {
  try {
    return context.stores;
  } catch (error) {
    if (isTinyAgentsError(error, "invalid_request")) return undefined;
    throw error;
  }
}
