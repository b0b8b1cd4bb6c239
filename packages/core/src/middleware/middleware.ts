import type { RunContext } from "../agent/context.js";
import type { Control } from "../agent/control.js";
import type { Counters, HistoryEdit } from "../agent/state.js";
import type { TinyAgentsError } from "../errors.js";
import type { JsonObject, JsonValue } from "../json.js";
import type { ProviderMetadata } from "../message/block.js";
import type { Message, ToolMessage } from "../message/message.js";
import type { ModelResponse } from "../model/collect.js";
import type { ModelDelta } from "../model/delta.js";
import type { ContextEstimate } from "../model/estimate.js";
import type { ModelRequest } from "../model/request.js";
import type { ToolPolicy } from "../tool/policy.js";
import type { ToolSpec } from "../tool/spec.js";

type Awaitable<T> = T | Promise<T>;

/**
 * How the arguments of a call came to fit. `passed`: as the model wrote them. `passed_after_change`: a hook, an approver
 * or a policy changed the call, and it was checked again. A call that does not pass reaches no hook and no tool.
 */
export type ToolValidation = "passed" | "passed_after_change";

/** A tool call on its way to being run. */
export interface ToolInvocation {
  readonly id: string;
  readonly name: string;
  /** Checked against the tool's schema; hidden arguments are not in it. */
  readonly args: JsonObject;
  readonly spec: ToolSpec;
  /** What holds for these arguments. */
  readonly policy: ToolPolicy;
  /** The model call that asked for it. */
  readonly modelCallId: string;
  readonly validation: ToolValidation;
  /** 1; with the progress of a repeat, its number. How many a finished call took stands in its result. */
  readonly attempt: number;
  /** What the provider attached to the call. */
  readonly providerMetadata?: ProviderMetadata;
  /** The id that the server gave, where it had been used before. */
  readonly originalId?: string;
}

/** What a middleware is told of the run it works in. One per middleware and run. */
export interface MiddlewareContext extends RunContext {
  /** The recorded history, live: read it, keep nothing of it. */
  readonly messages: readonly Message[];
  readonly counters: Counters;
  /**
   * The agent's tools with their policies, whether or not a request offers them: for a hook that decides what is offered.
   * Those of one whose policy depends on arguments are known with each call.
   */
  readonly tools: readonly ToolSpec[];
  /** What this middleware keeps in the run's state; nothing before it first kept something. */
  readonly state: JsonValue | undefined;
  /** The answer to the `interrupt` that this middleware asked for last; nothing while there is none. */
  readonly answer: JsonValue | undefined;
  /** How full the model's context is with this request. Walks the history: ask when it is needed. */
  estimateContext(request: ModelRequest): ContextEstimate;
}

/** What a hook wants. Returning nothing changes nothing. */
export interface HookResult<T> {
  /** In place of what the hook was given, for this call only. */
  readonly replace?: T;
  /** What this middleware keeps in the run's state from now on. */
  readonly state?: JsonValue;
  /** A change of the recorded history. Applied before the next model call, and recorded. */
  readonly history?: Omit<HistoryEdit, "by">;
  readonly control?: Control;
}

/** Nothing asked for: a hook that only looks has no return statement. */
type Nothing = undefined | void;

/** What a hook may return, at once or later. */
export type HookReturn<T> = Awaitable<HookResult<T> | Nothing>;

/** Asks the model: itself a chain of the wraps further in. */
export type ModelHandler = (request: ModelRequest) => AsyncIterable<ModelDelta>;

/** Runs the tool: itself a chain of the wraps further in. */
export type ToolHandler = (call: ToolInvocation) => Promise<ToolMessage>;

/**
 * Something that looks at, edits, repeats or replaces what an agent does. All hooks are optional. `before*` and delta
 * hooks run in the order of the list, `after*` in reverse, wraps nest with the first outermost. Around one model call:
 * all `before*` once, the wraps, delta hooks outside the wraps, all `after*` once. What keeps state across calls keeps it
 * in `context.state`, never in variables: one middleware object serves many runs at once.
 */
export interface Middleware {
  /** Unique in its agent. Names its state and its events. */
  readonly name: string;
  /** Jobs that it takes over from the harness. */
  readonly owns?: readonly "retry"[];
  /** Once, when a run starts; not when it is resumed. */
  beforeAgent?(context: MiddlewareContext): HookReturn<never>;
  /** Once, when a run has its answer, before memory is saved. */
  afterAgent?(context: MiddlewareContext): HookReturn<never>;
  /** Before each model call. What it gives in place of the request holds for this call only. */
  beforeModel?(request: ModelRequest, context: MiddlewareContext): HookReturn<ModelRequest>;
  /** Around each model call: it may ask with another request, again, or not at all, and pass on other deltas. */
  wrapModel?(request: ModelRequest, context: MiddlewareContext, next: ModelHandler): AsyncIterable<ModelDelta>;
  /** Another delta, several, or none (`[]`) in place of this one; nothing returned leaves it as it is. */
  onModelDelta?(delta: ModelDelta, context: MiddlewareContext): Awaitable<ModelDelta | readonly ModelDelta[] | Nothing>;
  /** After each model call, before its answer stands in the history. */
  afterModel?(response: ModelResponse, context: MiddlewareContext): HookReturn<ModelResponse>;
  /** Before each tool call that has passed its checks. A call that it changes is checked again. */
  beforeTool?(call: ToolInvocation, context: MiddlewareContext): HookReturn<ToolInvocation>;
  /** Around each tool call: it may run it with other arguments, again, or not at all, and gives its result. */
  wrapTool?(call: ToolInvocation, context: MiddlewareContext, next: ToolHandler): Promise<ToolMessage>;
  /** Progress of a tool; another value in place of this one, or nothing to leave it as it is. */
  onToolDelta?(delta: JsonValue, call: ToolInvocation, context: MiddlewareContext): JsonValue | Nothing;
  /** After each tool call that ran, before its result is recorded. */
  afterTool?(result: ToolMessage, call: ToolInvocation, context: MiddlewareContext): HookReturn<ToolMessage>;
  /** Once for each failure of a model call, a tool call, a hook or the run. It may ask for another control than failing. */
  onError?(error: TinyAgentsError, context: MiddlewareContext): HookReturn<never>;
}

/** Names of hooks, for errors and events. */
export type HookName = Exclude<keyof Middleware, "name" | "owns">;
