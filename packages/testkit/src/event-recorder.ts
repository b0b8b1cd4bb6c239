import type { AgentEvent, EventEnvelope, EventSink, EventType, SinkOptions } from "@tinyagents/core";

/** A sink that keeps what it gets. */
export interface EventRecorder extends EventSink {
  /** All events so far, in order. Copies: later changes of a run do not reach them. */
  readonly events: readonly AgentEvent[];
  /** Those of one type. */
  ofType<T extends EventType>(type: T): readonly EventEnvelope<T>[];
  /** Those of one run; those of the runs below it are not among them. */
  ofRun(runId: string): readonly AgentEvent[];
  /** The type of each event, in order. */
  types(): readonly EventType[];
  /** Resolves with the `count`-th event (default the first) of a type, once there is one. */
  seen<T extends EventType>(type: T, count?: number): Promise<EventEnvelope<T>>;
  clear(): void;
}

interface Waiter {
  readonly type: EventType;
  readonly count: number;
  readonly resolve: (event: AgentEvent) => void;
}

/** Records events. It asks for payloads, and for deltas only when told to. */
export function eventRecorder({ deltas = false, payloads = true }: SinkOptions = {}): EventRecorder {
  const events: AgentEvent[] = [];
  let waiters: readonly Waiter[] = [];
  const ofType = <T extends EventType>(type: T): readonly EventEnvelope<T>[] =>
    events.filter((event) => event.type === type) as unknown as readonly EventEnvelope<T>[];
  return {
    deltas,
    payloads,
    events,
    emit(event) {
      events.push(structuredClone(event));
      waiters = waiters.filter(({ type, count, resolve }) => {
        const found = type === event.type ? ofType(type)[count - 1] : undefined;
        if (found !== undefined) resolve(found as AgentEvent);
        return found === undefined;
      });
    },
    ofType,
    ofRun: (runId) => events.filter((event) => event.runId === runId),
    types: () => events.map(({ type }) => type),
    seen<T extends EventType>(type: T, count = 1) {
      return new Promise<EventEnvelope<T>>((resolve) => {
        const found = ofType(type)[count - 1];
        if (found !== undefined) resolve(found);
        else waiters = [...waiters, { type, count, resolve: resolve as unknown as Waiter["resolve"] }];
      });
    },
    clear() {
      events.length = 0;
    },
  };
}
