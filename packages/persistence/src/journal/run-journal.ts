import {
  type AgentEvent,
  type AppendStore,
  type CompactOptions,
  type EventType,
  type FollowedLog,
  follow,
  invalidArgument,
  type JournalEntry,
  type JournalFilter,
  type JournalFollowQuery,
  type JournalPage,
  type JournalQuery,
  type JsonObject,
  type JsonValue,
  type LogRecord,
  readWholeNumber,
  withoutPayload,
  writeConflict,
} from "@tinyagents/core";
import { readJournalEntry } from "./journal-entry.js";
import { KEPT_PAGE, KeptRecords } from "./kept-records.js";

/** How many records are looked at for one page, at most: a filter may let few of them through. */
const MOST_LOOKED_AT = 10_000;
const PAGE = 1_000;

/** Where the events of one root run are. */
export interface RunJournalPlace {
  readonly log: AppendStore;
  readonly rootRunId: string;
  readonly stream: string;
  readonly keptPrefix: string;
}

/** The journal of one root run, as its readers see it. */
export class RunJournal {
  readonly #log: AppendStore;
  readonly #rootRunId: string;
  readonly #stream: string;
  readonly #kept: KeptRecords;

  constructor({ log, rootRunId, stream, keptPrefix }: RunJournalPlace) {
    this.#log = log;
    this.#rootRunId = rootRunId;
    this.#stream = stream;
    this.#kept = new KeptRecords(log, keptPrefix);
  }

  async read(query: JournalQuery): Promise<JournalPage> {
    const limit = readWholeNumber(query.limit ?? 1_000, 1, "limit");
    const wanted = filterOf(query);
    // What a filter lets through may be far apart.
    const page = query.runId === undefined && query.types === undefined ? Math.min(PAGE, limit) : PAGE;
    const entries: JournalEntry[] = [];
    let next = readWholeNumber(query.from ?? 0, 0, "from");
    for (let lookedAt = 0; lookedAt < MOST_LOOKED_AT; ) {
      const records = await this.#records(next, page, query.signal);
      if (records.length === 0) return { entries, next, more: false };
      lookedAt += records.length;
      for (const record of records) {
        next = record.offset + 1;
        const entry = this.#entry(record);
        if (wanted(entry) && entries.push(entry) === limit) return this.#pageOf(entries, next, query.signal);
      }
    }
    return this.#pageOf(entries, next, query.signal);
  }

  async *follow(query: JournalFollowQuery): AsyncGenerator<JournalEntry, void, undefined> {
    const { signal, untilEnd = false, pollMs, clock } = query;
    const wanted = filterOf(query);
    let next = readWholeNumber(query.from ?? 0, 0, "from");
    let life = untilEnd && next > 0 ? await this.#lastLife(signal) : NOTHING_TOLD;
    for (;;) {
      const hadEnded = untilEnd && life.ended;
      // What comes after the end may be dropped before it is read: who waited for it would wait for ever.
      const records = hadEnded
        ? this.#recordsThere(next, signal)
        : follow(this.#whole, this.#stream, { from: next, signal, pollMs, clock });
      for await (const record of records) {
        next = record.offset + 1;
        const entry = this.#entry(record);
        if (wanted(entry)) yield entry;
        life = lifeAfter(life, this.#lifeIn(entry));
        if (untilEnd && life.ended !== hadEnded) break;
      }
      if (hadEnded && life.ended) return;
    }
  }

  /** Whether the last that was told of the root run is its end. */
  async hasEnded(signal?: AbortSignal): Promise<boolean> {
    return (await this.#lastLife(signal)).ended;
  }

  /**
   * Looks at all there is: an attempt that was overtaken may tell of itself, its start too, long after the one that has
   * overtaken it.
   */
  async #lastLife(signal?: AbortSignal): Promise<Life> {
    let life = NOTHING_TOLD;
    for await (const record of this.#recordsThere(0, signal)) life = lifeAfter(life, this.#lifeIn(this.#entry(record)));
    return life;
  }

  async compact({ before = 0, types = [], payloads = false, signal }: CompactOptions): Promise<void> {
    const first = readWholeNumber(before, 0, "before");
    const dropped = readDroppedTypes(types);
    if (!(await this.hasEnded(signal)))
      throw writeConflict(`the journal of run ${JSON.stringify(this.#rootRunId)}`, "a run that has ended", null);
    const head = await this.#log.head(this.#stream, { signal });
    const keep = (record: LogRecord): LogRecord[] => {
      const entry = this.#entry(record);
      const type = entry.type === "gap" ? undefined : entry.event.type;
      const stays = type !== undefined && LIFE.has(type);
      if (!stays && (record.offset < first || (type !== undefined && dropped.has(type)))) return [];
      return [payloads && entry.type === "event" ? unsaid(record) : record];
    };
    await this.#kept.replace(keptOf(this.#pages(head, signal), keep), signal);
    await this.#log.truncate(this.#stream, { before: head, signal });
  }

  async delete(): Promise<boolean> {
    // What was kept goes first: without its stream nobody would find it.
    await this.#kept.delete();
    return this.#log.delete(this.#stream);
  }

  async #pageOf(entries: readonly JournalEntry[], next: number, signal: AbortSignal | undefined): Promise<JournalPage> {
    return { entries, next, more: next < (await this.#log.head(this.#stream, { signal })) };
  }

  /** Records in order, from the stream or, where they were taken out of it, from what was kept. */
  async #records(from: number, limit: number, signal: AbortSignal | undefined): Promise<readonly LogRecord[]> {
    const records = await this.#log.read(this.#stream, { from, limit, signal });
    const first = records[0]?.offset;
    if (first === from) return records;
    const to = first ?? (await this.#log.head(this.#stream, { signal }));
    const kept = from < to ? await this.#kept.read(from, limit, signal) : [];
    return kept.length > 0 ? kept : records;
  }

  async *#recordsThere(from: number, signal: AbortSignal | undefined): AsyncGenerator<LogRecord, void, undefined> {
    for (let next = from; ; ) {
      const records = await this.#records(next, PAGE, signal);
      if (records.length === 0) return;
      yield* records;
      next = (records.at(-1) as LogRecord).offset + 1;
    }
  }

  /** The stream, to be followed, with what was taken out of it and kept. */
  get #whole(): FollowedLog {
    const log = this.#log;
    return {
      read: (_, { from = 0, signal } = {}) => this.#records(from, PAGE, signal),
      head: (stream, options) => log.head(stream, options),
      ...(log.watch === undefined ? {} : { watch: log.watch.bind(log) }),
    };
  }

  async *#pages(to: number, signal: AbortSignal | undefined): AsyncGenerator<readonly LogRecord[]> {
    for (let next = 0; next < to; ) {
      const records = await this.#records(next, KEPT_PAGE, signal);
      const last = records.at(-1);
      if (last === undefined) return;
      next = last.offset + 1;
      yield records.filter(({ offset }) => offset < to);
    }
  }

  #entry({ offset, value }: LogRecord): JournalEntry {
    return readJournalEntry(value, offset, `${this.#stream} at offset ${offset}`);
  }

  /** What an entry says of whether the root run has ended; nothing where it says nothing of that. */
  #lifeIn(entry: JournalEntry): Life | undefined {
    if (entry.type === "gap" || entry.event.runId !== this.#rootRunId) return undefined;
    const { type, attempt } = entry.event;
    if (!LIFE.has(type)) return undefined;
    return { attempt, ended: type === "run.completed" || type === "run.failed" };
  }
}

/** What was told last of whether a run has ended, by the attempt that it was told in. */
interface Life {
  readonly attempt: number;
  readonly ended: boolean;
}

const NOTHING_TOLD: Life = { attempt: 0, ended: false };

/** Whoever was overtaken has no say any more. */
function lifeAfter(before: Life, told: Life | undefined): Life {
  return told === undefined || told.attempt < before.attempt ? before : told;
}

/** How a run began and ended. */
const LIFE: ReadonlySet<EventType> = new Set(["run.started", "run.paused", "run.completed", "run.failed"]);

function readDroppedTypes(types: readonly EventType[]): ReadonlySet<EventType> {
  const life = types.find((type) => LIFE.has(type));
  if (life === undefined) return new Set(types);
  throw invalidArgument("types", `${life} says how a run began or ended, and stays; leave it out`);
}

function filterOf({ runId, types }: JournalFilter): (entry: JournalEntry) => boolean {
  const wanted = types && new Set<EventType>(types);
  return (entry) => {
    if (entry.type === "gap") return true;
    return (
      (runId === undefined || entry.event.runId === runId) && (wanted === undefined || wanted.has(entry.event.type))
    );
  };
}

async function* keptOf(
  pages: AsyncIterable<readonly LogRecord[]>,
  keep: (record: LogRecord) => LogRecord[],
): AsyncGenerator<readonly LogRecord[]> {
  for await (const page of pages) yield page.flatMap(keep);
}

function unsaid({ offset, value }: LogRecord): LogRecord {
  const entry = value as JsonObject & { readonly event: AgentEvent };
  return { offset, value: { ...entry, event: withoutPayload(entry.event) as unknown as JsonValue } };
}
