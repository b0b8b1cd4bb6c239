import type { ErrorRecord } from "../errors.js";
import { REDACTED, redactJson } from "../redact.js";
import { isThenable } from "../thenable.js";
import type { AgentEvent, EventType } from "./types.js";

/** Takes events. Called synchronously, in order; what it throws is not the run's concern and is dropped. */
export interface EventSink {
  /** Whether it wants `model.delta` and `tool.delta`. */
  readonly deltas: boolean;
  /** Whether it wants what was said: prompts, answers, arguments, results. */
  readonly payloads: boolean;
  /** Takes one event. */
  emit(event: AgentEvent): void;
}

/** What a sink wants to get; both default to no. */
export interface SinkOptions {
  readonly deltas?: boolean | undefined;
  readonly payloads?: boolean | undefined;
}

/** A function as a sink. */
export function callbackSink(
  emit: (event: AgentEvent) => void,
  { deltas = false, payloads = false }: SinkOptions = {},
): EventSink {
  return { deltas, payloads, emit };
}

/** Several sinks as one. Each gets what it asked for; one that throws does not keep the others from their event. */
export function fanOut(sinks: readonly EventSink[]): EventSink {
  return {
    deltas: sinks.some((sink) => sink.deltas),
    payloads: sinks.some((sink) => sink.payloads),
    emit(event) {
      for (let i = 0; i < sinks.length; i++) {
        const sink = sinks[i] as EventSink;
        if (!sink.deltas && isDelta(event)) continue;
        try {
          const pending: unknown = sink.emit(sink.payloads ? event : withoutPayload(event));
          if (isThenable(pending)) Promise.resolve(pending).catch(drop);
        } catch {
          // A watcher's failure is its own; the run and the other watchers go on.
        }
      }
    },
  };
}

/** Only some types of event reach the sink behind it. */
export function filteredSink(sink: EventSink, types: readonly EventType[]): EventSink {
  const wanted = new Set<EventType>(types);
  return {
    deltas: sink.deltas && (wanted.has("model.delta") || wanted.has("tool.delta")),
    payloads: sink.payloads,
    emit(event) {
      return wanted.has(event.type) ? sink.emit(event) : undefined;
    },
  };
}

/** Secrets are taken out before an event reaches the sink behind it: the known ones, and what looks like one. */
export function redactingSink(sink: EventSink, secrets: readonly string[] = []): EventSink {
  return {
    deltas: sink.deltas,
    payloads: sink.payloads,
    emit: (event) => sink.emit(redactEvent(event, secrets)),
  };
}

/** A copy of an event without secrets: the known ones, and what looks like one. Ids, times and names stay. */
export function redactEvent<E extends AgentEvent>(event: E, secrets: readonly string[] = []): E {
  const { data, tags, metadata } = event;
  return {
    ...event,
    data: redactJson(data, secrets),
    ...(tags === undefined ? {} : { tags: redactJson(tags, secrets) }),
    ...(metadata === undefined ? {} : { metadata: redactJson(metadata, secrets) }),
  };
}

function drop(): void {}

function isDelta(event: AgentEvent): boolean {
  return event.type === "model.delta" || event.type === "tool.delta";
}

/** An event without what was said: neither payload nor the words of an error. */
export function withoutPayload(event: AgentEvent): AgentEvent {
  const { data } = event;
  if ("payload" in data) {
    const { payload: _, ...rest } = data;
    return { ...event, data: rest } as AgentEvent;
  }
  if (!("error" in data) || data.error === undefined) return event;
  return { ...event, data: { ...data, error: withoutWords(data.error) } } as AgentEvent;
}

/** Details that repeat what a model, a tool or a person said. */
const SAID: ReadonlySet<string> = new Set(["reason", "text", "partialText"]);

/** What failed, without what was said about it: servers and tools quote prompts, arguments and keys in their messages. */
function withoutWords(error: ErrorRecord): ErrorRecord {
  const details = Object.entries(error.details).map(([key, value]) => {
    if (key === "issues") return [key, []];
    return [key, SAID.has(key) ? REDACTED : value];
  });
  return { ...error, message: REDACTED, details: Object.fromEntries(details) };
}
