import type { Clock } from "../clock.js";
import type { EventSink, SinkOptions } from "./sink.js";
import type { AgentEvent, EventType } from "./types.js";

/** An event that stands in a journal, without its secrets. */
export interface JournaledEvent {
  readonly type: "event";
  /** Place in the journal of the root run, from 0; never given twice. */
  readonly offset: number;
  readonly event: AgentEvent;
}

/** Where an event happened, without what it told. */
export type EventPlace = Pick<
  AgentEvent,
  "id" | "seq" | "attempt" | "timeMs" | "type" | "runId" | "rootRunId" | "parentRunId" | "component"
>;

/** An event whose content could not be stored safely: that it happened is all that is said. */
export interface WithheldEvent {
  readonly type: "withheld";
  readonly offset: number;
  readonly event: EventPlace;
  /** `redaction`: taking secrets out of it failed. `refused`: it is no JSON, or the log takes no such value. */
  readonly reason: "redaction" | "refused";
}

/** Events are missing here: they came faster than they could be written. */
export interface JournalGap {
  readonly type: "gap";
  readonly offset: number;
  /** How many events. */
  readonly lost: number;
  /** Times of the first and the last of them, ms since 1970. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** What stands at one place of a journal, told apart by `type`. */
export type JournalEntry = JournaledEvent | WithheldEvent | JournalGap;

/** Which events of a root run and the runs below it. Gaps are always among them. */
export interface JournalFilter {
  readonly rootRunId: string;
  /** The first offset. Default: the start. */
  readonly from?: number | undefined;
  /** Only events of this run. */
  readonly runId?: string | undefined;
  readonly types?: readonly EventType[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface JournalQuery extends JournalFilter {
  /** At most this many. Default 1,000. */
  readonly limit?: number | undefined;
}

/** Some entries of a journal, in order. */
export interface JournalPage {
  readonly entries: readonly JournalEntry[];
  /** The offset to go on from. */
  readonly next: number;
  /** Whether there was more to look at. A page can be short, or empty, and have more after it. */
  readonly more: boolean;
}

export interface JournalFollowQuery extends JournalFilter {
  /** Stop after the end of the root run, once everything up to there has been read. Default false. */
  readonly untilEnd?: boolean | undefined;
  /** As `pollMs` of `follow`. */
  readonly pollMs?: number | undefined;
  readonly clock?: Clock | undefined;
}

/** Which root runs to list. */
export interface JournaledRunsQuery {
  /** What their ids start with. */
  readonly prefix?: string | undefined;
  /** Only runs that are listed after this one. */
  readonly after?: string | undefined;
  /** At most this many. Default 1,000. */
  readonly limit?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What to take out of the journal of a run that has ended. */
export interface CompactOptions {
  /** Drop what stands before this offset, but for how runs began and ended. Default: nothing. */
  readonly before?: number | undefined;
  /** Drop events of these types: `["model.delta", "tool.delta"]`. Default: none. */
  readonly types?: readonly EventType[] | undefined;
  /** Drop what was said: `data.payload` of all events. Default false. */
  readonly payloads?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The events of root runs and all runs below them, one after another in the journal of the root run. Offsets are stable:
 * whatever is dropped, what stays keeps its own. Reading throws `corrupt_data` that names the place, and what the log throws.
 */
export interface EventJournal {
  /**
   * A sink that notes events in their order, for `createAgent({ events })`. It never holds the run up, and gives the same
   * sink for the same options: a run and those below it tell each event once.
   */
  sink(options?: SinkOptions): EventSink;
  /**
   * Resolves when the log has every event that was told until now.
   * @throws what the log fails with; the events are kept, and the next event or `flush` tries again.
   */
  flush(): Promise<void>;
  /** Entries in order, at most so many. */
  read(query: JournalQuery): Promise<JournalPage>;
  /** What is there, then what comes, without a gap and without a repeat, until the reader stops or the signal aborts. */
  follow(query: JournalFollowQuery): AsyncGenerator<JournalEntry, void, undefined>;
  /** Ids of root runs, in code unit order of the names of their streams. */
  runs(query?: JournaledRunsQuery): Promise<readonly string[]>;
  /**
   * Makes the journal of a run smaller. Killed in between, it leaves a journal that reads as before, or as after; do it again.
   * @throws `conflict` while the run has not ended.
   */
  compact(rootRunId: string, options: CompactOptions): Promise<void>;
  /** Whether there was a journal to take away. */
  delete(rootRunId: string): Promise<boolean>;
}
