import {
  type AgentEvent,
  type Clock,
  checkOptions,
  type EventSink,
  type FieldRule,
  optionRules,
  type RunStatusStore,
  redactJson,
  systemClock,
} from "@tinyagents/core";
import { rules } from "../option-rules.js";
import { RunWriter, type WriterSettings } from "./run-writer.js";

export interface RunStatusSinkOptions {
  /** The least time between two writes for one run that no change of its state asks for, ms. Default 1,000. */
  readonly intervalMs?: number | undefined;
  /** How often a run that waits for a model or a tool says that it is still there, ms. Default 10,000. */
  readonly heartbeatMs?: number | undefined;
  /**
   * Whether to keep the words of the error that ended a run, without what looks like a secret. They may repeat what people and
   * models said. Default false.
   */
  readonly errorWords?: boolean | undefined;
  /** Secrets to take out of those words, besides what looks like one. */
  readonly secrets?: readonly string[] | undefined;
  /** For how long after it first failed a write is tried again, ms. Then the next event, or `flush`, tries it. Default 86,400,000: a day. */
  readonly retryForMs?: number | undefined;
  /** Told of each write that failed. What it throws is dropped. */
  readonly onError?: ((error: unknown, runId: string) => void) | undefined;
  readonly clock?: Clock | undefined;
}

/** Keeps the statuses of the runs that it is told of. */
export interface RunStatusSink extends EventSink {
  /** Writes all that is not stored yet. @throws the first error of the store; the others are tried all the same. */
  flush(): Promise<void>;
  /** Flushes, and takes no further events: no timer is left behind, also when flushing failed. */
  close(): Promise<void>;
}

/** Of how many runs at most that are not moved just now a status is kept in mind. */
const MOST_IN_MIND = 1_024;

const RULES: { readonly [Option in keyof RunStatusSinkOptions]-?: FieldRule } = {
  intervalMs: optionRules.milliseconds,
  heartbeatMs: ["a number of milliseconds from 1 up", (value) => Number.isFinite(value) && Number(value) >= 1],
  errorWords: optionRules.boolean,
  secrets: rules.secrets,
  retryForMs: optionRules.milliseconds,
  onError: optionRules.call,
  clock: rules.clock,
};

/**
 * A sink that keeps the status of each run in a store, without holding the run: at once when its state changes, otherwise
 * at most every `intervalMs`, and in order. What could not be written is tried again, at most a minute apart. No process stays
 * alive for that: call `flush` before it ends. A process that is killed leaves what was written last.
 *
 * @throws `TypeError` for options that cannot be.
 */
export function runStatusSink(statuses: RunStatusStore, options: RunStatusSinkOptions = {}): RunStatusSink {
  checkOptions(options, RULES, "runStatusSink: options");
  const {
    intervalMs = 1_000,
    heartbeatMs = 10_000,
    retryForMs = 86_400_000,
    errorWords = false,
    secrets = [],
  } = options;
  const { clock = systemClock } = options;
  const onError = tellTo(options.onError);
  const settings: WriterSettings = { statuses, clock, intervalMs, heartbeatMs, retryForMs, onError };
  const writers = new Map<string, RunWriter>();
  let closed = false;

  const writerOf = (runId: string): RunWriter => {
    const known = writers.get(runId);
    const writer = known ?? new RunWriter(runId, settings);
    writers.delete(runId);
    writers.set(runId, writer);
    if (known === undefined) forgetSome(writers);
    return writer;
  };
  const flush = async (): Promise<void> => {
    const results = await Promise.allSettled([...writers.values()].map((writer) => writer.flush()));
    const failed = results.find((result) => result.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  };
  return {
    deltas: false,
    payloads: errorWords,
    emit(event) {
      if (closed) return;
      writerOf(event.runId).take(errorWords ? cleaned(event, secrets) : event);
    },
    flush,
    async close() {
      closed = true;
      try {
        await flush();
      } finally {
        for (const writer of writers.values()) writer.close();
        writers.clear();
      }
    },
  };
}

/** Only the end of a run has words that are kept. */
function cleaned(event: AgentEvent, secrets: readonly string[]): AgentEvent {
  return event.type === "run.failed" ? { ...event, data: redactJson(event.data, secrets) } : event;
}

function tellTo(onError: RunStatusSinkOptions["onError"]): WriterSettings["onError"] {
  return (error, runId) => {
    try {
      onError?.(error, runId);
    } catch {
      // Whoever is told of a failure cannot make another one of it.
    }
  };
}

/** Makes room: those that are done, and then those that were told of the longest time ago and have nothing to write. */
function forgetSome(writers: Map<string, RunWriter>): void {
  if (writers.size <= MOST_IN_MIND) return;
  for (const wanted of ["done", "idle"] as const) {
    for (const [runId, writer] of writers) {
      if (writers.size <= MOST_IN_MIND / 2 || !writer[wanted]) continue;
      writer.close();
      writers.delete(runId);
    }
  }
}
