import {
  type AgentRun,
  addCost,
  addTotals,
  type ContextEstimate,
  type CostTotals,
  type Counters,
  type EventData,
  type EventSink,
  type EventType,
  estimateContext,
  type HookName,
  type HookResult,
  type HookScope,
  type JsonValue,
  type Message,
  type MiddlewareContext,
  type ModelRequest,
  type PriceSource,
  type ResolvedLimits,
  type RunConfig,
  type RunContext,
  type RunPolicy,
  type RunRecorder,
  type StoreRegistry,
  TinyAgentsError,
  type ToolSpec,
  type UsageTotals,
} from "@tinyagents/core";
import type { LiveRun } from "./live-run.js";
import { setOwn } from "./live-state.js";

/** What tools see of a run. */
export class LiveRunContext implements RunContext {
  protected readonly live: LiveRun;

  constructor(live: LiveRun) {
    this.live = live;
  }

  get config(): RunConfig {
    return this.live.state.config;
  }
  get data(): unknown {
    return this.live.data;
  }
  get clock(): RunContext["clock"] {
    return this.live.clock;
  }
  get ids(): RunContext["ids"] {
    return this.live.ids;
  }
  get random(): RunContext["random"] {
    return this.live.random;
  }
  get events(): EventSink | undefined {
    return this.live.events;
  }
  get recorder(): RunRecorder | undefined {
    return this.live.recorder;
  }
  get signal(): AbortSignal {
    return this.live.cancellation.signal;
  }
  get usage(): UsageTotals {
    return this.live.state.usage;
  }
  get treeUsage(): UsageTotals {
    return addTotals(this.live.state.usage, this.live.state.childUsage);
  }
  get cost(): CostTotals | undefined {
    return this.live.state.cost ?? undefined;
  }
  get policies(): RunPolicy {
    const { policies } = this.live.definition;
    const { unknownTool } = this.live.state.config;
    return unknownTool === undefined ? policies : { ...policies, unknownTool };
  }
  get prices(): PriceSource | undefined {
    return this.live.definition.prices;
  }
  get stores(): StoreRegistry {
    const { usedStores: stores } = this.live;
    if (stores !== undefined) return stores;
    throw new TinyAgentsError("invalid_request", "This run has no stores. Give it some: createAgent({ stores }).", {
      details: { reason: "no_stores" },
    });
  }

  /** Which taking up of the run this is. */
  get attempt(): number {
    return this.live.state.attempt ?? 1;
  }

  remainingLimits(): Partial<ResolvedLimits> {
    const { config, counters } = this.live.state;
    const { limits } = config;
    return {
      ...limits,
      maxModelCalls: Math.max(0, limits.maxModelCalls - counters.modelCalls),
      maxToolCalls: Math.max(0, limits.maxToolCalls - counters.toolCalls),
      maxRetries: Math.max(0, limits.maxRetries - counters.retries),
      maxCorrections: Math.max(0, limits.maxCorrections - counters.corrections),
      ...(limits.wallClockMs === undefined
        ? {}
        : { wallClockMs: Math.max(0, limits.wallClockMs - this.live.elapsedMs) }),
      ...(limits.maxTotalTokens === undefined
        ? {}
        : { maxTotalTokens: Math.max(0, limits.maxTotalTokens - this.live.totalTokens) }),
    };
  }

  /** Counts a finished child's tree into this run's. */
  addBelow({ treeUsage, usageByModel, cost }: AgentRun<unknown>): void {
    const { state } = this.live;
    state.childUsage = addTotals(state.childUsage, treeUsage);
    addCost(state, { cost, calls: treeUsage.modelCalls, unpricedCalls: cost?.unpricedCalls ?? 0 });
    for (const { model, usage: added } of usageByModel) {
      const line = state.usageByModel.find((known) => known.model.id === model.id);
      if (line === undefined) state.usageByModel.push({ model, usage: added });
      else line.usage = addTotals(line.usage, added);
    }
  }

  /** Emits an event of the run. */
  note<T extends EventType>(type: T, data: EventData[T]): void {
    this.live.event()?.(type, data);
  }

  emit(name: string, payload: JsonValue): void {
    const { live } = this;
    live.event()?.("custom", live.wantsPayloads ? { name, payload } : { name });
  }
}

/** What one middleware sees of a run. */
class LiveMiddlewareContext extends LiveRunContext implements MiddlewareContext {
  readonly #name: string;

  constructor(live: LiveRun, name: string) {
    super(live);
    this.#name = name;
  }

  get messages(): readonly Message[] {
    return this.live.state.messages;
  }
  get counters(): Counters {
    return this.live.state.counters;
  }
  get tools(): readonly ToolSpec[] {
    return this.live.definition.toolSpecs;
  }
  get state(): JsonValue | undefined {
    const { middleware } = this.live.state;
    return Object.hasOwn(middleware, this.#name) ? middleware[this.#name] : undefined;
  }
  get answer(): JsonValue | undefined {
    const { answers } = this.live.state;
    return Object.hasOwn(answers, this.#name) ? answers[this.#name] : undefined;
  }
  estimateContext(request: ModelRequest): ContextEstimate {
    const { models, countTokens } = this.live.definition;
    return estimateContext(request, models.choose(request).model.profile, countTokens);
  }
}

/** Connects composed middleware with a run: contexts, state, history edits, events. */
export class RunScope implements HookScope {
  readonly #live: LiveRun;
  #contexts: Map<string, LiveMiddlewareContext> | undefined;

  constructor(live: LiveRun) {
    this.#live = live;
  }

  contextOf(middleware: string): MiddlewareContext {
    const contexts = this.#contexts ?? new Map<string, LiveMiddlewareContext>();
    this.#contexts = contexts;
    let context = contexts.get(middleware);
    if (context === undefined) {
      context = new LiveMiddlewareContext(this.#live, middleware);
      contexts.set(middleware, context);
    }
    return context;
  }

  keep(middleware: string, _hook: HookName, result: HookResult<unknown>): void {
    const { state } = this.#live;
    if (result.state !== undefined) {
      setOwn(state.middleware, middleware, result.state);
    }
    if (result.history !== undefined) state.edits.push({ ...result.history, by: middleware });
  }

  watch(middleware: string, hook: HookName): ((error?: TinyAgentsError) => void) | undefined {
    if (hook === "onModelDelta" || hook === "onToolDelta") return undefined;
    const live = this.#live;
    if (!live.listened) {
      // Numbers advance whether or not anybody listens.
      live.state.seq += 2;
      return undefined;
    }
    live.event()?.("middleware.started", { middleware, hook });
    return (error) => {
      if (error === undefined) live.event()?.("middleware.completed", { middleware, hook });
      else live.event()?.("middleware.failed", { middleware, hook, error: error.toJSON() });
    };
  }
}
