import {
  type AppendOptions,
  type AppendStore,
  type CheckpointThread,
  type Clock,
  corruptData,
  isTinyAgentsError,
  type JsonValue,
  type StoreCallOptions,
  throwIfAborted,
} from "@tinyagents/core";
import { type CheckpointEntry, checkpointKey, type LineageEntry, readLineageEntry } from "./checkpoint-entry.js";
import { emptyEnd, type LineageEnd, moveOn } from "./lineage.js";
import { untilAborted } from "./until-aborted.js";

/** An entry, and where it stands. */
export interface PlacedEntry {
  readonly offset: number;
  readonly entry: LineageEntry;
}

/** A checkpoint that was looked for, and where its log started then. */
export interface FoundCheckpoint {
  readonly entry: CheckpointEntry;
  readonly startAt: number;
}

/**
 * What follows from the end of a log: nothing when all is there already. Throws what stands against it. What is known of the
 * end may be old, unless it is `fresh`: entries are only added where it was not, and anything else is asked again.
 */
export type Decide = (
  end: Readonly<LineageEnd>,
  fresh: boolean,
) => Promise<readonly LineageEntry[]> | readonly LineageEntry[];

/** How many entries are read at once: few at first, since most readers want few, and more and more. */
const FIRST_PAGE = 16;
const LAST_PAGE = 256;

/**
 * How long what is known of an end is trusted, ms. An entry that comes after another than was thought is refused by its offset;
 * but of a thread that somebody else has deleted, and begun anew, the end may be at the same offset again.
 */
const TRUSTED_MS = 50;

/**
 * The log of one lineage, and what is known of its end. Writes take turns, in the order in which they were asked for; each
 * says after what it comes, so that nothing is written that does not follow from what is there.
 */
export class LineageLog {
  readonly #log: AppendStore;
  readonly #stream: string;
  readonly #thread: CheckpointThread;
  readonly #clock: Clock;
  /** Absent: the log has to be read first. */
  #end: LineageEnd | undefined;
  /** When what is known of the end was last seen to be so. */
  #seenAtMs = Number.NEGATIVE_INFINITY;
  #turn: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(log: AppendStore, stream: string, thread: CheckpointThread, clock: Clock) {
    this.#log = log;
    this.#stream = stream;
    this.#thread = thread;
    this.#clock = clock;
  }

  /** Nothing is under way, and nothing is known that would be trusted. */
  get forgettable(): boolean {
    return this.#waiting === 0 && !this.#isTrusted();
  }

  /** Adds what follows from the end of the log. */
  async write(decide: Decide, options: StoreCallOptions, idempotencyKey?: string): Promise<void> {
    await this.#inTurn(() => this.#write(decide, options, idempotencyKey), options);
  }

  /** The same, and then drops what stands before the start that the entries say. */
  async writeAndTruncate(decide: Decide, options: StoreCallOptions): Promise<void> {
    await this.#inTurn(async () => {
      const { startAt } = await this.#write(decide, options);
      if (startAt > 0) await this.#log.truncate(this.#stream, { before: startAt, ...options });
    }, options);
  }

  /** Takes the log away. Whether it was there. */
  delete(options: StoreCallOptions): Promise<boolean> {
    return this.#inTurn(() => {
      this.#end = undefined;
      return this.#log.delete(this.#stream, options);
    }, options);
  }

  /** What stands from an offset on, in order, a page at a time, the first of which has so many entries. */
  async *from(offset: number, options: StoreCallOptions, firstPage: number = LAST_PAGE): AsyncGenerator<PlacedEntry> {
    for (let next = offset, limit = firstPage; ; limit = Math.min(limit * 2, LAST_PAGE)) {
      const records = await this.#log.read(this.#stream, { from: next, limit, ...options });
      for (const record of records) yield this.#placed(record);
      if (records.length < limit) return;
      next = (records.at(-1)?.offset as number) + 1;
    }
  }

  /**
   * All checkpoints, or those before one, the newest first, a page at a time. One whose base was dropped is gone, though its own
   * entry may still stand.
   */
  async *checkpointsBack(options: StoreCallOptions, before?: FoundCheckpoint): AsyncGenerator<CheckpointEntry> {
    let startAt = before?.startAt;
    for (let from = before && before.entry.headAt - 1, limit = FIRST_PAGE; from === undefined || from >= 0; ) {
      const records = await this.#log.read(this.#stream, {
        order: "descending",
        limit,
        ...(from === undefined ? {} : { from }),
        ...options,
      });
      for (const { entry } of records.map((record) => this.#placed(record))) {
        if (startAt === undefined && entry.copying) return;
        startAt ??= entry.startAt;
        if (entry.type === "checkpoint" && entry.baseAt >= startAt) yield entry;
      }
      if (records.length < limit) return;
      from = (records.at(-1)?.offset as number) - 1;
      limit = Math.min(limit * 2, LAST_PAGE);
    }
  }

  /** A checkpoint by its id. */
  async find(checkpointId: string, options: StoreCallOptions): Promise<FoundCheckpoint | undefined> {
    const offset = await this.#log.offsetOf(this.#stream, checkpointKey(checkpointId), options);
    if (offset === undefined) return undefined;
    const last = await this.last(options);
    if (last === undefined || last.entry.copying) return undefined;
    const { startAt } = last.entry;
    // Where it was copied, what tasks left before it was appended with it.
    for await (const { entry } of this.from(offset, options, 1)) {
      if (entry.type === "task") continue;
      const isIt = entry.type === "checkpoint" && entry.row.checkpointId === checkpointId && entry.baseAt >= startAt;
      return isIt ? { entry, startAt } : undefined;
    }
    return undefined;
  }

  /** The last entry; nothing in an empty log. */
  async last(options: StoreCallOptions): Promise<PlacedEntry | undefined> {
    const [record] = await this.#log.read(this.#stream, { order: "descending", limit: 1, ...options });
    return record && this.#placed(record);
  }

  /** The checkpoint at an offset; nothing where there is none. */
  async checkpointAt(offset: number, options: StoreCallOptions): Promise<CheckpointEntry | undefined> {
    const [record] = await this.#log.read(this.#stream, { from: offset, limit: 1, ...options });
    const entry = record?.offset === offset ? this.#placed(record).entry : undefined;
    return entry?.type === "checkpoint" ? entry : undefined;
  }

  /** The error for the entry at an offset that says what cannot be. */
  damaged(offset: number, field: string, reason: string): Error {
    return corruptData(`${this.#placeOf(offset)}.${field}`, reason);
  }

  #placed({ offset, value }: { readonly offset: number; readonly value: JsonValue }): PlacedEntry {
    return { offset, entry: readLineageEntry(value, this.#thread, { offset, place: this.#placeOf(offset) }) };
  }

  #placeOf(offset: number): string {
    return `${this.#stream} at offset ${offset}`;
  }

  #isTrusted(): boolean {
    const age = this.#clock.now() - this.#seenAtMs;
    return this.#end !== undefined && age >= 0 && age < TRUSTED_MS;
  }

  /** The end of the log after what was decided. */
  async #write(decide: Decide, options: StoreCallOptions, idempotencyKey?: string): Promise<Readonly<LineageEnd>> {
    for (let known = this.#isTrusted() ? this.#end : undefined; ; known = undefined) {
      this.#end = undefined;
      const fresh = known === undefined;
      const end = known ?? (await this.#readEnd(options));
      let entries: readonly LineageEntry[];
      try {
        const decided = decide(end, fresh);
        entries = decided instanceof Promise ? await decided : decided;
      } catch (error) {
        if (!fresh) continue;
        throw error;
      }
      if (entries.length === 0 && !fresh) continue;
      if (entries.length > 0 && !(await this.#append(end, entries, { ...options, idempotencyKey }))) continue;
      for (const entry of entries) moveOn(end, entry, end.next);
      this.#end = end;
      this.#seenAtMs = this.#clock.now();
      return end;
    }
  }

  /** Whether it was written. When somebody else wrote meanwhile, it was not, and the end has to be read again. */
  async #append(
    { next }: Readonly<LineageEnd>,
    entries: readonly LineageEntry[],
    options: AppendOptions & StoreCallOptions,
  ): Promise<boolean> {
    const values = entries as unknown as readonly JsonValue[];
    try {
      return (await this.#log.append(this.#stream, values, { ...options, expectedOffset: next })) === next;
    } catch (error) {
      if (isTinyAgentsError(error, "conflict")) return false;
      throw error;
    }
  }

  async #readEnd(options: StoreCallOptions): Promise<LineageEnd> {
    for (let before: number | undefined; ; ) {
      const last = await this.last(options);
      const end = emptyEnd();
      if (last === undefined) {
        const head = await this.#log.head(this.#stream, options);
        if (head === 0) return end;
        if (before === head) throw corruptData(this.#stream, `all of its ${head} entries are gone`);
        before = head;
        continue;
      }
      if (last.entry.type === "checkpoint") {
        moveOn(end, last.entry, last.offset);
        return end;
      }
      for await (const { offset, entry } of this.from(last.entry.headAt ?? last.offset, options))
        moveOn(end, entry, offset);
      if (end.next > last.offset && (last.entry.headAt === null || end.head !== undefined)) return end;
      // Somebody deleted or truncated it meanwhile; where the same stands there still, it is damaged.
      if (before === last.offset) throw this.damaged(last.offset, "headAt", "no checkpoint stands there");
      before = last.offset;
    }
  }

  #inTurn<T>(work: () => Promise<T>, { signal }: StoreCallOptions): Promise<T> {
    const before = this.#waiting++ === 0 ? undefined : this.#turn;
    const done = this.#after(before, work, signal);
    this.#turn = done;
    return untilAborted(done, signal);
  }

  async #after<T>(
    before: Promise<unknown> | undefined,
    work: () => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    try {
      if (before !== undefined) await before.catch(() => undefined);
      throwIfAborted(signal);
      return await work();
    } finally {
      this.#waiting--;
    }
  }
}
