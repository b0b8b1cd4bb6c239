import {
  type AgentEvent,
  type AppendStore,
  type Clock,
  checkOptions,
  type EventJournal,
  type EventSink,
  type FieldRule,
  type IdSource,
  invalidArgument,
  type JournaledRunsQuery,
  optionRules,
  randomIds,
  readWholeNumber,
  systemClock,
} from "@tinyagents/core";
import { rules } from "../option-rules.js";
import { escapePart, partOfStream, streamName } from "../stream-name.js";
import { RunJournal } from "./run-journal.js";
import { type JournalTrouble, type QueueSetting, RunQueue } from "./run-queue.js";

export interface EventJournalOptions {
  /** What names of streams start with; a `/` and the id of the root run follow. Default `journal`. */
  readonly prefix?: string | undefined;
  /** Texts that never get into the journal, besides all that looks like a key. Default: none. */
  readonly secrets?: readonly string[] | undefined;
  /** Takes out of an event what must not be stored; ids, times and names stay. What it throws withholds the event. Default: nothing more. */
  readonly redact?: ((event: AgentEvent) => AgentEvent) | undefined;
  /** How many events may wait to be written, of all runs together. What comes when as many wait is lost, and the journal says so. Default 10,000. */
  readonly maxWaiting?: number | undefined;
  /** How often a write is tried, 100 ms and then twice as long apart, before it waits for the next event or `flush`. Default 5. */
  readonly attempts?: number | undefined;
  /** Told of writes that failed, of events that were lost and of such that were withheld. What it throws is dropped. */
  readonly onTrouble?: ((trouble: JournalTrouble) => void) | undefined;
  /** Where the journal takes an id of its own from, told apart from that of every other process. Default: random. */
  readonly ids?: IdSource | undefined;
  /** For the waits between attempts. Default: real time. */
  readonly clock?: Clock | undefined;
}

const RULES: { readonly [Option in keyof EventJournalOptions]-?: FieldRule } = {
  prefix: rules.streamPrefix,
  secrets: rules.secrets,
  redact: optionRules.call,
  maxWaiting: optionRules.count,
  attempts: optionRules.count,
  onTrouble: optionRules.call,
  ids: rules.ids,
  clock: rules.clock,
};

/**
 * The events of runs in a log: one stream per root run, with the runs below it inside. Secrets are taken out before
 * anything is written; an event for which that fails is withheld.
 *
 * Runs are not held up: events wait, in order, and are written together. Call `flush` before the process ends.
 * @throws `TypeError` for options that cannot be.
 */
export function eventJournal(log: AppendStore, options: EventJournalOptions = {}): EventJournal {
  checkOptions(options, RULES, "eventJournal: options");
  const { prefix = "journal", ids = randomIds() } = options;
  const writer = ids.next("journal");
  let appends = 0;
  const setting: QueueSetting = {
    log,
    redaction: { secrets: options.secrets ?? [], redact: options.redact },
    clock: options.clock ?? systemClock,
    attempts: options.attempts ?? 5,
    maxWaiting: options.maxWaiting ?? 10_000,
    waiting: 0,
    nextKey: () => `${writer}/${++appends}`,
    tell: quietly(options.onTrouble),
  };
  const queues = new Map<string, RunQueue>();
  const streamOf = (rootRunId: string): string => {
    if (typeof rootRunId === "string" && rootRunId !== "") return streamName(prefix, rootRunId);
    throw invalidArgument("rootRunId", "the id of a run is expected");
  };

  const queueOf = (rootRunId: string): RunQueue => {
    const there = queues.get(rootRunId);
    if (there !== undefined) return there;
    const queue = new RunQueue(setting, rootRunId, streamOf(rootRunId), () => queues.delete(rootRunId));
    queues.set(rootRunId, queue);
    return queue;
  };
  const note = (event: AgentEvent): void => queueOf(event.rootRunId).add(event);
  const journalOf = (rootRunId: string): RunJournal =>
    new RunJournal({ log, rootRunId, stream: streamOf(rootRunId), keptPrefix: streamName(prefix, "", rootRunId, "") });
  const sinks = new Map<string, EventSink>();

  return {
    sink({ deltas = false, payloads = false } = {}) {
      const name = `${deltas} ${payloads}`;
      const sink = sinks.get(name) ?? { deltas, payloads, emit: note };
      sinks.set(name, sink);
      return sink;
    },
    async flush() {
      const written = await Promise.allSettled([...queues.values()].map((queue) => queue.write()));
      for (const result of written) if (result.status === "rejected") throw result.reason;
    },
    read: async (query) => journalOf(query.rootRunId).read(query),
    async *follow(query) {
      yield* journalOf(query.rootRunId).follow(query);
    },
    runs: (query) => listRuns(log, prefix, query),
    compact: async (rootRunId, options) => journalOf(rootRunId).compact(options),
    delete: async (rootRunId) => journalOf(rootRunId).delete(),
  };
}

async function listRuns(
  log: AppendStore,
  prefix: string,
  { prefix: start = "", after, limit = 1_000, signal }: JournaledRunsQuery = {},
): Promise<readonly string[]> {
  const most = readWholeNumber(limit, 1, "limit");
  const runs: string[] = [];
  let last = after === undefined ? undefined : streamName(prefix, after);
  for (;;) {
    const names = await log.streams(`${prefix}/${escapePart(start)}`, { after: last, signal });
    if (names.length === 0) return runs;
    last = names.at(-1);
    for (const name of names) {
      const runId = partOfStream(prefix, name);
      if (runId !== undefined && runs.push(runId) === most) return runs;
    }
  }
}

function quietly(tell: EventJournalOptions["onTrouble"]): (trouble: JournalTrouble) => void {
  return (trouble) => {
    try {
      tell?.(trouble);
    } catch {
      // Whoever is told of trouble must not make more of it.
    }
  };
}
