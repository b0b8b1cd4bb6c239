import {
  type AgentEvent,
  type EventData,
  type EventEnvelope,
  type EventSink,
  type EventType,
  fanOut,
  type JsonObject,
} from "@tinyagents/core";
import type { Mutable } from "../mutable.js";
import type { WatchedRun } from "./watched-run.js";

/** Puts an event of a run into its envelope. `number` is its place in the run. */
export function envelopeOf<T extends EventType>(
  run: WatchedRun,
  type: T,
  data: EventData[T],
  number: string,
): AgentEvent {
  const { config, seq, attempt = 1 } = run.state;
  const { runId, rootRunId, parentRunId, threadId, tags, metadata } = config;
  const event: Mutable<EventEnvelope<T>> = {
    v: 1,
    id: `${runId}/${number}`,
    seq,
    attempt,
    timeMs: run.clock.now(),
    type,
    runId,
    rootRunId,
    component: run.definition.name,
    data,
  };
  if (parentRunId !== undefined) event.parentRunId = parentRunId;
  if (threadId !== undefined) event.threadId = threadId;
  if (tags.length > 0) event.tags = tags;
  if (hasEntries(metadata)) event.metadata = metadata;
  return event as AgentEvent;
}

function hasEntries(object: JsonObject): boolean {
  for (const _ in object) return true;
  return false;
}

/**
 * Everybody who gets a run's events: its sink, and its stream. Each gets what it asked for, and what a sink fails with
 * is its own concern.
 */
export function listenersOf(run: WatchedRun): EventSink {
  const { definition, events, show } = run;
  if (show === undefined && events !== undefined)
    return events === definition.events ? definition.sink : fanOut([events]);
  const stream: EventSink = {
    deltas: false,
    payloads: false,
    emit: (event) => {
      if (run.shows("events")) run.offer({ type: "event", event });
    },
  };
  return fanOut(run.events === undefined ? [stream] : [run.events, stream]);
}
