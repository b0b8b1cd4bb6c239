import type { AgentStreamItem, Clock, EventData, EventSink, EventType, StreamMode } from "@tinyagents/core";
import type { AgentDefinition } from "../definition.js";
import { CancelScope } from "./cancel-scope.js";
import { envelopeOf, listenersOf } from "./emit.js";
import type { LiveState } from "./live-state.js";
import { untilTaken } from "./until-taken.js";

/** Emits one event; the envelope is made from the run. */
export type EmitEvent = <T extends EventType>(type: T, data: EventData[T]) => void;

/** Who watches a run. */
export interface Watchers {
  readonly clock?: Clock | undefined;
  readonly events?: EventSink | undefined;
  /** Takes the items that `modes` asks for. */
  emit?(item: AgentStreamItem): void | Promise<void>;
  /** What `emit` wants, asked anew each time. Absent: everything. */
  readonly modes?: Pick<ReadonlySet<StreamMode>, "has"> | undefined;
  /** What holds the run: cancelling it cancels the run. */
  readonly owner?: CancelScope | undefined;
}

/**
 * A run as far as it is watched: its events, numbered, and its stream items. What is under way in it is the live run's,
 * which is this and more: one object, because events and items are shown in its innermost loops.
 */
export class WatchedRun {
  readonly definition: AgentDefinition;
  state: LiveState;
  readonly clock: Clock;
  readonly events: EventSink | undefined;
  readonly cancellation: CancelScope;
  /**
   * Where `agent.stream` and observers take their items. Absent: nobody watches. A promise lasts until the item has been
   * taken, or the run is cancelled.
   */
  readonly show: ((item: AgentStreamItem) => void | Promise<void>) | undefined;
  /** Settles when the items that were offered have been taken; absent when they have. */
  held: Promise<unknown> | undefined;
  /** What the last offer is held by. */
  #offered: Promise<unknown> | undefined;
  readonly #emit: Watchers["emit"];
  readonly #modes: Watchers["modes"];
  /** The sink, and the stream where it has events: each gets only what it asked for. */
  readonly #sink: EventSink | undefined;
  readonly #emitEvent: EmitEvent | undefined;
  /** Fragments since the last numbered event. */
  #deltas = 0;
  #closed = false;

  constructor(definition: AgentDefinition, state: LiveState, watchers: Watchers) {
    this.definition = definition;
    this.state = state;
    this.clock = watchers.clock ?? definition.clock;
    this.events = watchers.events ?? definition.events;
    this.cancellation = new CancelScope(watchers.owner);
    const { emit, modes } = watchers;
    this.#emit = emit;
    this.show =
      emit === undefined
        ? undefined
        : (item) => {
            const taking = emit(item);
            return taking instanceof Promise ? untilTaken(taking, this.cancellation) : undefined;
          };
    this.#modes = modes;
    if (this.events !== undefined || emit !== undefined) {
      const sink = listenersOf(this);
      this.#sink = sink;
      this.#emitEvent = (type, data) => sink.emit(envelopeOf(this, type, data, `${this.state.seq}`));
    }
  }

  /** Whether somebody watches items of a mode just now: observers come and go. */
  shows(mode: StreamMode): boolean {
    return this.show !== undefined && !this.#closed && (this.#modes === undefined || this.#modes.has(mode));
  }

  /** Shows an item from where nobody can wait for its reader: the next step does. */
  offer(item: AgentStreamItem): void {
    const emit = this.#emit;
    const taking = emit?.(item);
    // A stream has one promise for all that it has not taken yet.
    if (!(taking instanceof Promise) || taking === this.#offered) return;
    this.#offered = taking;
    // What it rejects with is thrown where it is waited for.
    taking.catch(() => {});
    this.held = this.held === undefined ? taking : Promise.all([this.held, taking]);
  }

  /** Waits until what was offered has been taken. @throws what whoever takes the items throws. */
  async taken(): Promise<void> {
    const { held } = this;
    this.held = undefined;
    this.#offered = undefined;
    if (held !== undefined) await untilTaken(held, this.cancellation);
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

  /** What ends later than its run is told to nobody. */
  close(): void {
    this.#closed = true;
  }
}
