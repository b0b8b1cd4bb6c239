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
import { envelopeOf, listenersOf } from "./emit.js";
import type { LiveState } from "./live-state.js";
import { RunScope } from "./run-scope.js";

/** Emits one event; the envelope is made from the run. */
export type EmitEvent = <T extends EventType>(type: T, data: EventData[T]) => void;

/** Something that a run waits for. */
export interface UnderWay {
  /** For whoever asks what did not stop. */
  readonly name: string;
  /** The run goes on without it. */
  leave?(reason: TinyAgentsError): void;
}

/** What a driver may hand to a run besides the surroundings. */
export interface LiveRunOptions extends StepContext {
  /** What holds the run: cancelling it cancels the run. */
  readonly owner?: CancelScope | undefined;
  /** What `emit` wants, asked anew each time. Absent: everything. */
  readonly modes?: Pick<ReadonlySet<StreamMode>, "has"> | undefined;
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
  readonly cancellation: CancelScope;
  readonly deadlines: Deadlines;
  readonly hooks: RunScope;
  /** What the run waits for at the moment. */
  readonly underWay: UnderWay[] = [];
  /** Names of what did not settle when the run was cancelled. */
  readonly ignoredBy: string[] = [];
  /** The run ended without what it had under way. */
  #leftBehind = false;
  #heard: Set<TinyAgentsError> | undefined;
  /** The structured answer as its schema gave it: it may be more than JSON. */
  output: { readonly value: unknown } | undefined;
  #toolFailures: Map<ToolMessage, TinyAgentsError> | undefined;
  /** The error that ended the run, with its causes. */
  failure: TinyAgentsError | undefined;
  /** Edits of the history since the last model call. */
  compactions = 0;
  /** Call ids of the history, for telling a repeated one. Made when first needed. */
  callIds: Set<string> | undefined;
  /** Where `agent.stream` and observers take their items. Absent: nobody watches. */
  readonly show: ((item: AgentStreamItem) => void | Promise<void>) | undefined;
  /** Settles when the items that were offered have been taken; absent when they have. */
  held: Promise<unknown> | undefined;
  readonly #modes: LiveRunOptions["modes"];
  /** The sink, and the stream where it has events: each gets only what it asked for. */
  readonly #sink: EventSink | undefined;
  readonly #emitEvent: EmitEvent | undefined;
  readonly #unlink: () => void;
  #openedAtMs: number;
  #closed = false;
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
    this.cancellation = new CancelScope(options.owner);
    this.deadlines = new Deadlines(this.clock);
    this.hooks = new RunScope(this);
    const { emit, modes } = options;
    this.show = emit === undefined ? undefined : (item) => emit(item);
    this.#modes = modes;
    if (this.events !== undefined || emit !== undefined) {
      const sink = listenersOf(this);
      this.#sink = sink;
      this.#emitEvent = (type, data) => sink.emit(envelopeOf(this, type, data, `${this.state.seq}`));
    }
    this.#openedAtMs = this.clock.now();
    const { signal } = options;
    this.#unlink = onAbort(signal, () => this.cancellation.cancel(abortError(signal?.reason)));
    const { wallClockMs } = state.config.limits;
    if (wallClockMs !== undefined) {
      const timeIsUp = (): void => this.cancel(limitError("wallClockMs", wallClockMs, this.countersJson()));
      const leftMs = wallClockMs - state.activeMs;
      if (leftMs > 0) this.deadlines.after(leftMs, timeIsUp);
      else timeIsUp();
    }
  }

  get scope(): HookScope {
    return this.hooks;
  }

  /** Whether somebody watches items of a mode just now: observers come and go. */
  shows(mode: StreamMode): boolean {
    return this.show !== undefined && !this.#closed && (this.#modes === undefined || this.#modes.has(mode));
  }

  /** Shows an item from where nobody can wait for its reader: the next step does. */
  offer(item: AgentStreamItem): void {
    const taking = this.show?.(item);
    if (!(taking instanceof Promise)) return;
    // What it rejects with is thrown where it is waited for.
    taking.catch(() => {});
    this.held = this.held === undefined ? taking : Promise.all([this.held, taking]);
  }

  /** Waits until what was offered has been taken. @throws what whoever takes the items throws. */
  async taken(): Promise<void> {
    const { held } = this;
    this.held = undefined;
    await held;
  }

  /** Whether events are made at all: asked before data is built for one that is dear. */
  get listened(): boolean {
    return this.events !== undefined || this.shows("events");
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
    if (this.#closed) return undefined;
    this.state.seq++;
    this.#deltas = 0;
    return this.listened ? this.#emitEvent : undefined;
  }

  /**
   * Emits an event that takes no number: fragments, and that a run goes on. So no other event's number depends on how an
   * answer was split, or on whether the run was ever cut off.
   */
  emitUnnumbered<T extends EventType>(type: T, data: EventData[T]): void {
    if (this.#closed) return;
    this.#deltas++;
    this.#sink?.emit(envelopeOf(this, type, data, `${this.state.seq}.${this.#deltas}`));
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

  /** Goes on without what ignores the cancellation, on a copy of the state. */
  leaveBehind(): void {
    const { reason } = this.cancellation;
    this.#leftBehind = true;
    this.state = structuredClone(this.state);
    for (const work of this.underWay) {
      this.ignoredBy.push(work.name);
      if (reason !== undefined) work.leave?.(reason);
    }
  }

  /** Notes that `onError` hooks have heard of a failure. */
  hear(failure: TinyAgentsError): void {
    this.#heard ??= new Set();
    this.#heard.add(failure);
  }

  hasHeard(failure: TinyAgentsError): boolean {
    return this.#heard?.has(failure) === true;
  }

  /** Keeps the error that a tool result stands for, until its batch is finished. */
  noteFailure(result: ToolMessage, failure: TinyAgentsError): void {
    this.#toolFailures ??= new Map();
    this.#toolFailures.set(result, failure);
  }

  failureOf(result: ToolMessage): TinyAgentsError | undefined {
    return this.#toolFailures?.get(result);
  }

  /** The batch is finished: its failures are in the history, and known to whoever had to know. */
  forgetFailures(): void {
    this.#toolFailures = undefined;
  }

  begin(work: UnderWay): void {
    this.underWay.push(work);
  }

  end(work: UnderWay): void {
    const { underWay } = this;
    const place = underWay.lastIndexOf(work);
    const last = underWay.pop();
    if (last !== undefined && last !== work && place >= 0) underWay[place] = last;
  }

  /**
   * The state, for good. What was left behind may still write to the run, and then does so to a state that nobody
   * has.
   */
  takeState(): LiveState {
    const { state } = this;
    const { toolCalls } = state.counters;
    if (state.usage.toolCalls !== toolCalls) state.usage = { ...state.usage, toolCalls };
    if (this.#leftBehind) this.state = structuredClone(state);
    return state;
  }

  /** Leaves no listener and no timer behind. What ends later than its run is told to nobody. */
  close(): void {
    this.#closed = true;
    this.#unlink();
    this.cancellation.close();
    this.deadlines.close();
  }
}

const DEFAULT_IDS = randomIds();
