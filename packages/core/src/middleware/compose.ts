import type { TinyAgentsError } from "../errors.js";
import type { JsonValue } from "../json.js";
import type { ToolMessage } from "../message/message.js";
import { deltaFault } from "../model/check-delta.js";
import { checkedStream } from "../model/checked-stream.js";
import type { ModelResponse } from "../model/collect.js";
import type { ModelDelta } from "../model/delta.js";
import type { ModelRequest } from "../model/request.js";
import { isThenable } from "../thenable.js";
import { call, chain, type Hooked, type HookScope, hookFailure } from "./chain.js";
import { checkToolMessage } from "./check-result.js";
import type { HookName, Middleware, ModelHandler, ToolHandler, ToolInvocation } from "./middleware.js";

type Awaitable<T> = T | Promise<T>;

/**
 * A list of middleware as one. A part is absent when no middleware has that hook, so that it costs nothing; a part
 * whose hooks are all synchronous gives no promise.
 */
export interface ComposedMiddleware {
  readonly names: readonly string[];
  readonly ownsRetry: boolean;
  /** In the order of the list. */
  readonly beforeAgent?: (scope: HookScope) => Awaitable<Hooked<undefined>>;
  /** In reverse. */
  readonly afterAgent?: (scope: HookScope) => Awaitable<Hooked<undefined>>;
  /** In the order of the list. */
  readonly beforeModel?: (request: ModelRequest, scope: HookScope) => Awaitable<Hooked<ModelRequest>>;
  /** Wraps around `ask`, then delta hooks around the wraps. */
  readonly aroundModel?: (request: ModelRequest, scope: HookScope, ask: ModelHandler) => AsyncIterable<ModelDelta>;
  /** In reverse. */
  readonly afterModel?: (response: ModelResponse, scope: HookScope) => Awaitable<Hooked<ModelResponse>>;
  /** In the order of the list. */
  readonly beforeTool?: (call: ToolInvocation, scope: HookScope) => Awaitable<Hooked<ToolInvocation>>;
  /** Wraps around `run`, the first outermost. */
  readonly aroundTool?: (call: ToolInvocation, scope: HookScope, run: ToolHandler) => Promise<ToolMessage>;
  /** In the order of the list. */
  readonly onToolDelta?: (delta: JsonValue, call: ToolInvocation, scope: HookScope) => JsonValue;
  /** In reverse. */
  readonly afterTool?: (result: ToolMessage, call: ToolInvocation, scope: HookScope) => Awaitable<Hooked<ToolMessage>>;
  /** In the order of the list. */
  readonly onError?: (error: TinyAgentsError, scope: HookScope) => Awaitable<Hooked<undefined>>;
}

/**
 * Makes one middleware of many. The order of hooks is decided here and nowhere else.
 * @throws TypeError when two middleware have the same name, or one has none.
 */
export function compose(middleware: readonly Middleware[]): ComposedMiddleware {
  const names = middleware.map(({ name }) => name);
  names.forEach((name, index) => {
    if (typeof name !== "string" || name === "") throw new TypeError(`middleware[${index}]: a name is missing`);
    if (names.indexOf(name) !== index) throw new TypeError(`middleware[${index}]: the name "${name}" is taken`);
  });
  const forward = (hook: HookName): readonly Middleware[] => middleware.filter((entry) => entry[hook] !== undefined);
  const backward = (hook: HookName): readonly Middleware[] => forward(hook).toReversed();
  return present({
    names,
    ownsRetry: middleware.some(({ owns }) => owns?.includes("retry") === true),
    beforeAgent: agentHook(forward("beforeAgent"), "beforeAgent"),
    afterAgent: agentHook(backward("afterAgent"), "afterAgent"),
    beforeModel: chain<ModelRequest>(forward("beforeModel"), "beforeModel", (entry, request, context) =>
      entry.beforeModel?.(request, context),
    ),
    aroundModel: aroundModel(forward("wrapModel"), forward("onModelDelta")),
    afterModel: chain<ModelResponse>(backward("afterModel"), "afterModel", (entry, response, context) =>
      entry.afterModel?.(response, context),
    ),
    beforeTool: chain<ToolInvocation>(forward("beforeTool"), "beforeTool", (entry, call, context) =>
      entry.beforeTool?.(call, context),
    ),
    aroundTool: aroundTool(forward("wrapTool")),
    onToolDelta: toolDelta(forward("onToolDelta")),
    afterTool: afterTool(backward("afterTool")),
    onError: errorHook(forward("onError")),
  });
}

/** Without the parts that are not there: `undefined` and absent are the same to the caller, but not to the compiler. */
function present(
  parts: { readonly [K in keyof ComposedMiddleware]: ComposedMiddleware[K] | undefined },
): ComposedMiddleware {
  return Object.fromEntries(
    Object.entries(parts).filter(([, part]) => part !== undefined),
  ) as unknown as ComposedMiddleware;
}

function agentHook(
  entries: readonly Middleware[],
  hook: "beforeAgent" | "afterAgent",
): ComposedMiddleware["beforeAgent"] {
  const run = chain<undefined>(entries, hook, (entry, _, context) => entry[hook]?.(context));
  return run && ((scope) => run(undefined, scope));
}

function errorHook(entries: readonly Middleware[]): ComposedMiddleware["onError"] {
  if (entries.length === 0) return undefined;
  return (error, scope) =>
    chain<undefined>(entries, "onError", (entry, _, context) => entry.onError?.(error, context))?.(
      undefined,
      scope,
    ) ?? { value: undefined };
}

function afterTool(entries: readonly Middleware[]): ComposedMiddleware["afterTool"] {
  if (entries.length === 0) return undefined;
  return (result, toolCall, scope) =>
    chain<ToolMessage>(entries, "afterTool", (entry, value, context) => entry.afterTool?.(value, toolCall, context))?.(
      result,
      scope,
    ) ?? { value: result };
}

function toolDelta(entries: readonly Middleware[]): ComposedMiddleware["onToolDelta"] {
  if (entries.length === 0) return undefined;
  return (delta, toolCall, scope) => {
    let value = delta;
    for (const entry of entries) {
      const next = call(entry, "onToolDelta", scope, () =>
        atOnce(entry.onToolDelta?.(value, toolCall, scope.contextOf(entry.name))),
      );
      if (next !== undefined) value = next as JsonValue;
    }
    return value;
  };
}

/** Progress is passed on where the tool reports it, and there nobody can wait. */
function atOnce<T>(edited: T): T {
  if (!isThenable(edited)) return edited;
  // What it fails with later is nobody's any more.
  Promise.resolve(edited).catch(() => {});
  throw new TypeError("onToolDelta must be synchronous");
}

function aroundModel(wraps: readonly Middleware[], deltas: readonly Middleware[]): ComposedMiddleware["aroundModel"] {
  if (wraps.length === 0 && deltas.length === 0) return undefined;
  return (request, scope, ask) => {
    const handler = wraps.reduceRight<ModelHandler>(
      (next, entry) => (inner) =>
        wrapStream(entry, scope, () => entry.wrapModel?.(inner, scope.contextOf(entry.name), next) ?? next(inner)),
      ask,
    );
    return deltas.length === 0 ? handler(request) : editDeltas(deltas, scope, handler(request));
  };
}

/** A wrap whose own failures are named as such; failures from further in are errors of ours and pass. */
async function* wrapStream(
  entry: Middleware,
  scope: HookScope,
  open: () => AsyncIterable<ModelDelta>,
): AsyncGenerator<ModelDelta> {
  const ended = scope.watch?.(entry.name, "wrapModel");
  let failure: TinyAgentsError | undefined;
  try {
    yield* checkedStream(open(), (fault, delta) => wrongDelta(entry, "wrapModel", fault, delta));
  } catch (error) {
    failure = hookFailure(entry, "wrapModel", error);
    throw failure;
  } finally {
    // A reader that leaves early comes past here too.
    ended?.(failure);
  }
}

function wrongDelta(entry: Middleware, hook: HookName, fault: string, delta?: number): TinyAgentsError {
  const place = delta === undefined ? "its stream" : `delta ${delta}`;
  return hookFailure(entry, hook, new TypeError(`${place}: ${fault}`));
}

async function* editDeltas(
  entries: readonly Middleware[],
  scope: HookScope,
  source: AsyncIterable<ModelDelta>,
): AsyncGenerator<ModelDelta> {
  for await (const delta of source) yield* editDelta(entries, 0, scope, delta);
}

async function* editDelta(
  entries: readonly Middleware[],
  index: number,
  scope: HookScope,
  delta: ModelDelta,
): AsyncGenerator<ModelDelta> {
  const entry = entries[index];
  if (entry === undefined) {
    yield delta;
    return;
  }
  const result = call(
    entry,
    "onModelDelta",
    scope,
    () => entry.onModelDelta?.(delta, scope.contextOf(entry.name)),
    checkEdited,
  );
  const edited = result instanceof Promise ? await result : result;
  if (edited === undefined) yield* editDelta(entries, index + 1, scope, delta);
  else if (!Array.isArray(edited)) yield* editDelta(entries, index + 1, scope, edited as ModelDelta);
  else for (const one of edited as readonly ModelDelta[]) yield* editDelta(entries, index + 1, scope, one);
}

/** @throws TypeError for what is no delta, and no list of deltas. */
function checkEdited(edited: unknown): void {
  if (edited === undefined) return;
  for (const delta of Array.isArray(edited) ? edited : [edited]) {
    const fault = deltaFault(delta);
    if (fault !== undefined) throw new TypeError(fault);
  }
}

function aroundTool(wraps: readonly Middleware[]): ComposedMiddleware["aroundTool"] {
  if (wraps.length === 0) return undefined;
  return (toolCall, scope, run) =>
    wraps.reduceRight<ToolHandler>(
      (next, entry) => async (inner) =>
        // Where it gives no message, to go on to the tool could run it a second time.
        call<ToolMessage>(
          entry,
          "wrapTool",
          scope,
          async () => entry.wrapTool?.(inner, scope.contextOf(entry.name), next) as Promise<ToolMessage>,
          checkToolMessage,
        ),
      run,
    )(toolCall);
}
