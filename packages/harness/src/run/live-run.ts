import {
  type AgentStreamItem,
  abortError,
  type Clock,
  type EventData,
  type EventSink,
  type EventType,
  type HookScope,
  type IdSource,
  limitError,
  onAbort,
  type RandomSource,
  type RunRecorder,
  randomIds,
  type StepContext,
  type StoreRegistry,
  type StreamMode,
  systemClock,
  systemRandom,
  type TinyAgentsError,
  type ToolMessage,
} from "@tinyagents/core";
import type { AgentDefinition } from "../definition.js";
import { CancelScope } from "./cancel-scope.js";
import { Deadlines } from "./deadlines.js";
import type { LiveState } from "./live-state.js";
import { RunScope } from "./run-scope.js";

/** Emits one event; the envelope is made from the run. */
export type EmitEvent = <T extends EventType>(type: T, data: EventData[T]) => void;

/** What a driver may hand to a run besides the surroundings. */
export interface LiveRunOptions extends StepContext {
  readonly modes?: ReadonlySet<StreamMode> | undefined;
}

/**
 * The live side of a run: its state together with everything that is not data. Made for as long as one driver moves
 * the run, and closed after it.
 */
export class LiveRun {
  readonly definition: AgentDefinition;
  state: LiveState;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly random: RandomSource;
  readonly events: EventSink | undefined;
  readonly registry: StoreRegistry | undefined;
  readonly recorder: RunRecorder | undefined;
  readonly data: unknown;
  readonly cancellation: CancelScope = new CancelScope();
  readonly deadlines: Deadlines;
  readonly hooks: RunScope;
  /** Names of what did not settle when the run was cancelled. */
  readonly ignoredBy: string[] = [];
  /** Failures that `onError` hooks have heard of. */
  readonly heard: WeakSet<TinyAgentsError> = new WeakSet();
  /** The structured answer as its schema gave it: it may be more than JSON. */
  output: { readonly value: unknown } | undefined;
  /** What tool results that are failures stand for. */
  readonly toolFailures: WeakMap<ToolMessage, TinyAgentsError> = new WeakMap();
  /** The error that ended the run, with its causes. */
  failure: TinyAgentsError | undefined;
  /** Call ids of the history, for telling a repeated one. Made when first needed. */
  callIds: Set<string> | undefined;
  /** Where `agent.stream` and observers take their items. Absent: nobody watches. */
  readonly show: ((item: AgentStreamItem) => void | Promise<void>) | undefined;
  readonly showsMessages: boolean;
  readonly showsTools: boolean;
  readonly showsUsage: boolean;
  readonly showsCost: boolean;
  readonly showsUpdates: boolean;
  readonly #emitEvent: EmitEvent | undefined;
  readonly #unlink: () => void;
  #openedAtMs: number;
  /** Fragments since the last numbered event. */
  #deltas = 0;

  constructor(definition: AgentDefinition, state: LiveState, options: LiveRunOptions) {
    this.definition = definition;
    this.state = state;
    this.clock = options.clock ?? definition.clock ?? systemClock;
    this.ids = options.ids ?? definition.ids ?? DEFAULT_IDS;
    this.random = options.random ?? definition.random ?? systemRandom;
    this.events = options.events ?? definition.events;
    this.registry = options.stores ?? definition.stores;
    this.recorder = options.recorder ?? definition.recorder;
    this.data = options.data;
    this.deadlines = new Deadlines(this.clock);
    this.hooks = new RunScope(this);
    const { emit, modes } = options;
    this.show = emit === undefined ? undefined : (item) => emit(item);
    const shows = (mode: StreamMode): boolean => emit !== undefined && (modes === undefined || modes.has(mode));
    this.showsMessages = shows("messages");
    this.showsTools = shows("tools");
    this.showsUsage = shows("usage");
    this.showsCost = shows("cost");
    this.showsUpdates = shows("updates");
    const showsEvents = shows("events");
    if (this.events !== undefined || showsEvents) this.#emitEvent = (type, data) => this.#emit(type, data, showsEvents);
    this.#openedAtMs = this.clock.now();
    const { signal } = options;
    this.#unlink = onAbort(signal, () => this.cancellation.cancel(abortError(signal?.reason)));
    const { wallClockMs } = state.config.limits;
    if (wallClockMs !== undefined) {
      this.deadlines.add(Math.max(0, wallClockMs - state.activeMs), () => {
        this.cancellation.cancel(limitError("wallClockMs", wallClockMs, this.countersJson()));
      });
    }
  }

  get scope(): HookScope {
    return this.hooks;
  }

  /** Whether events are made at all: asked before data is built for one that is dear. */
  get listened(): boolean {
    return this.#emitEvent !== undefined;
  }

  /** Whether somebody wants fragments as events. */
  get wantsDeltas(): boolean {
    return this.events?.deltas === true;
  }

  /** Whether somebody wants what was said. */
  get wantsPayloads(): boolean {
    return this.events?.payloads === true;
  }

  /**
   * Takes the next event number, and gives what emits under it; nothing when nobody listens, so that
   * `run.event()?.("tool.started", { ... })` builds no data then.
   */
  event(): EmitEvent | undefined {
    this.state.seq++;
    this.#deltas = 0;
    return this.#emitEvent;
  }

  /** Emits a fragment: its number is its own, so that no other event's depends on how an answer was split. */
  emitDelta<T extends "model.delta" | "tool.delta">(type: T, data: EventData[T]): void {
    this.#deltas++;
    this.#emit(type, data, false, `${this.state.seq}.${this.#deltas}`);
  }

  /** How long a cancelled run waits for what it has under way, ms. */
  get graceMs(): number {
    return this.definition.policies.cancelGraceMs ?? 2_000;
  }

  /** @throws the reason when the run was cancelled. */
  throwIfCancelled(): void {
    const { reason } = this.cancellation;
    if (reason !== undefined) throw reason;
  }

  cancel(reason: TinyAgentsError): void {
    this.cancellation.cancel(reason);
  }

  /** Notes the time that has passed since the run was opened, or since the last note. */
  noteTime(): void {
    const nowMs = this.clock.now();
    this.state.activeMs += nowMs - this.#openedAtMs;
    this.#openedAtMs = nowMs;
  }

  /** What limits tell of the run, as data. */
  countersJson(): { readonly [name: string]: number } {
    return { ...this.state.counters, totalTokens: this.totalTokens, elapsedMs: this.elapsedMs };
  }

  get totalTokens(): number {
    return this.state.usage.totalTokens + this.state.childUsage.totalTokens;
  }

  get elapsedMs(): number {
    return this.state.activeMs + this.clock.now() - this.#openedAtMs;
  }

  /** Leaves no listener and no timer behind. */
  close(): void {
    this.#unlink();
    this.deadlines.close();
  }

  #emit<T extends EventType>(type: T, data: EventData[T], show: boolean, number = `${this.state.seq}`): void {
    const { config, seq } = this.state;
    const event = {
      v: 1,
      id: `${config.runId}/${number}`,
      seq,
      timeMs: this.clock.now(),
      type,
      runId: config.runId,
      rootRunId: config.rootRunId,
      ...(config.parentRunId === undefined ? {} : { parentRunId: config.parentRunId }),
      ...(config.threadId === undefined ? {} : { threadId: config.threadId }),
      component: this.definition.name,
      ...(config.tags.length === 0 ? {} : { tags: config.tags }),
      data,
    } as never;
    try {
      this.events?.emit(event);
    } catch {
      // A watcher's failure is its own; the run goes on.
    }
    if (show) void this.show?.({ type: "event", event });
  }
}

const DEFAULT_IDS = randomIds();
