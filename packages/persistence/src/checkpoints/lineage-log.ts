import {
  type AppendOptions,
  type AppendStore,
  type CheckpointThread,
  isTinyAgentsError,
  type JsonValue,
  type StoreCallOptions,
} from "@tinyagents/core";
import { type CheckpointEntry, type LineageEntry, readLineageEntry } from "./checkpoint-entry.js";
import { endAt, type LineageEnd, moveOn } from "./lineage.js";

/** An entry, and where it stands. */
export interface PlacedEntry {
  readonly offset: number;
  readonly entry: LineageEntry;
}

/** How many entries are read at once where nobody knows how many there will be. */
const PAGE = 200;

/**
 * The log of one lineage, and what is known of its end. Writes take turns, in the order in which they were asked for; each
 * says after what it comes, so that nothing is written that does not follow from what is there.
 */
export class LineageLog {
  readonly #log: AppendStore;
  readonly #stream: string;
  readonly #thread: CheckpointThread;
  /** Absent: the log has to be read first. */
  #end: LineageEnd | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(log: AppendStore, stream: string, thread: CheckpointThread) {
    this.#log = log;
    this.#stream = stream;
    this.#thread = thread;
  }

  /** Nothing is under way. */
  get idle(): boolean {
    return this.#waiting === 0;
  }

  /**
   * Adds what follows from the end of the log. `decide` is asked again when somebody else wrote meanwhile; it gives nothing
   * when all is there already, and throws what stands against it.
   */
  write(
    decide: (end: Readonly<LineageEnd>) => Promise<readonly LineageEntry[]> | readonly LineageEntry[],
    options: StoreCallOptions,
    idempotencyKey?: string,
  ): Promise<void> {
    return this.#inTurn(async () => {
      for (;;) {
        const end = this.#end ?? (await this.#readEnd(options));
        const entries = await decide(end);
        if (entries.length === 0 || (await this.#append(end, entries, { ...options, idempotencyKey }))) return;
      }
    });
  }

  /** What stands from an offset on, in order, a page at a time. */
  async *from(offset: number, options: StoreCallOptions): AsyncGenerator<PlacedEntry> {
    for (let next = offset; ; ) {
      const records = await this.#log.read(this.#stream, { from: next, ...options });
      if (records.length === 0) return;
      for (const record of records) yield this.#placed(record);
      next = (records.at(-1)?.offset as number) + 1;
    }
  }

  /** What stands before an offset (absent: at all), the newest first, a page at a time. */
  async *back(before: number | undefined, options: StoreCallOptions): AsyncGenerator<PlacedEntry> {
    for (let from = before === undefined ? undefined : before - 1; from === undefined || from >= 0; ) {
      const range = { order: "descending", limit: PAGE, ...(from === undefined ? {} : { from }), ...options } as const;
      const records = await this.#log.read(this.#stream, range);
      if (records.length === 0) return;
      for (const record of records) yield this.#placed(record);
      from = (records.at(-1)?.offset as number) - 1;
    }
  }

  /** The last entry; nothing in an empty log. */
  async last(options: StoreCallOptions): Promise<PlacedEntry | undefined> {
    const [record] = await this.#log.read(this.#stream, { order: "descending", limit: 1, ...options });
    return record && this.#placed(record);
  }

  /**
   * The checkpoints that stand before an offset (absent: all), the newest first. One whose base was dropped is gone, though its
   * own entry may still stand.
   */
  async *checkpointsBack(before: number | undefined, options: StoreCallOptions): AsyncGenerator<CheckpointEntry> {
    const [first] = await this.#log.read(this.#stream, { limit: 1, ...options });
    if (first === undefined) return;
    for await (const { entry } of this.back(before, options)) {
      if (entry.type === "checkpoint" && entry.baseAt >= first.offset) yield entry;
    }
  }

  /** A checkpoint by its id. */
  async find(checkpointId: string, options: StoreCallOptions): Promise<CheckpointEntry | undefined> {
    for await (const entry of this.checkpointsBack(undefined, options)) {
      if (entry.row.checkpointId === checkpointId) return entry;
    }
    return undefined;
  }

  /** The checkpoints that stand from one offset to, and with, another. */
  async checkpoints(from: number, to: number, options: StoreCallOptions): Promise<readonly CheckpointEntry[]> {
    const found: CheckpointEntry[] = [];
    for await (const { offset, entry } of this.from(from, options)) {
      if (offset > to) break;
      if (entry.type === "checkpoint") found.push(entry);
    }
    return found;
  }

  /** Drops what stands before an offset. */
  truncate(before: number, options: StoreCallOptions): Promise<void> {
    return this.#inTurn(() => this.#log.truncate(this.#stream, { before, ...options }));
  }

  /** Takes the log away. Whether it was there. */
  delete(options: StoreCallOptions): Promise<boolean> {
    return this.#inTurn(() => {
      this.#end = undefined;
      return this.#log.delete(this.#stream, options);
    });
  }

  #placed({ offset, value }: { readonly offset: number; readonly value: JsonValue }): PlacedEntry {
    return { offset, entry: readLineageEntry(value, this.#thread, `${this.#stream} at offset ${offset}`) };
  }

  async #readEnd(options: StoreCallOptions): Promise<LineageEnd> {
    const last = await this.last(options);
    if (last === undefined) return endAt(await this.#log.head(this.#stream, options));
    const end = endAt(0);
    for await (const { offset, entry } of this.from(last.entry.headAt ?? 0, options)) moveOn(end, entry, offset);
    return end;
  }

  /** Whether it was written. When somebody else wrote meanwhile, it was not, and the end has to be read again. */
  async #append(
    end: LineageEnd,
    entries: readonly LineageEntry[],
    options: AppendOptions & StoreCallOptions,
  ): Promise<boolean> {
    this.#end = undefined;
    const values = entries as unknown as readonly JsonValue[];
    try {
      const offset = await this.#log.append(this.#stream, values, { ...options, expectedOffset: end.next });
      if (offset !== end.next) return false;
    } catch (error) {
      if (isTinyAgentsError(error, "conflict")) return false;
      throw error;
    }
    for (const entry of entries) moveOn(end, entry, end.next);
    this.#end = end;
    return true;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    this.#waiting++;
    const done = this.#turn.then(work).finally(() => this.#waiting--);
    this.#turn = done.catch(() => undefined);
    return done;
  }
}
