import { createHash, randomUUID } from "node:crypto";
import {
  type CheckedAppend,
  type CheckedReadRange,
  canonicalJson,
  type LogRecord,
  otherValuesUnderKey,
  writeConflict,
} from "@tinyagents/core";
import { LineFile, type LineFileOptions } from "./line-file.js";
import type { NewLine } from "./line-group.js";
import { type KnownKey, LogIndex } from "./log-index.js";
import { type Outcome, outcomeOf, type Target } from "./target.js";

/** An append, checked, and with its values as JSON text. */
interface LogAppend {
  readonly type: "append";
  readonly append: CheckedAppend;
  readonly texts: readonly string[];
}

/** A change of a stream. */
export type LogOperation =
  | LogAppend
  | { readonly type: "truncate"; readonly before: number }
  | { readonly type: "delete" };

/** A file is written anew when so much of it, and more than half, belongs to records that were dropped, bytes. */
const TIDY_BYTES = 256 * 1024;
/** How many keys of dropped records stand in a line. */
const KEYS_AT_ONCE = 500;
/** How much is copied at once when a file is written anew, bytes. */
const COPY_BYTES = 1024 * 1024;

/** The log of one stream. */
export class LogFile implements Target<LogOperation, number | boolean> {
  readonly #file: LineFile;
  readonly #index: LogIndex;
  readonly #stream: string;
  #tidyAgainAt = 0;

  constructor(stream: string, options: Omit<LineFileOptions, "index">) {
    this.#stream = stream;
    this.#index = new LogIndex(stream);
    this.#file = new LineFile({ ...options, index: this.#index });
  }

  head(): Promise<number> {
    return this.#file.view(() => this.#index.head);
  }

  /** Where what was appended under a key begins. */
  offsetOf(idempotencyKey: string): Promise<number | undefined> {
    return this.#file.view(() => this.#index.keys.get(idempotencyKey)?.offset);
  }

  /** Whether a hold of the lock still goes by what is known of it. */
  get isInUse(): boolean {
    return this.#file.isPinned;
  }

  /** @param mostBytes to read about so much and no more, though there are more records. */
  async read(range: CheckedReadRange, mostBytes: number = Number.POSITIVE_INFINITY): Promise<readonly LogRecord[]> {
    const records = await this.#file.read(
      () => this.#select(range),
      async (file, { first, count, place }) => {
        const found: LogRecord[] = [];
        let readBytes = 0;
        await this.#file.readLines(file, place, ({ offset, value }, { length }) => {
          if (typeof offset !== "number" || offset < first || value === undefined) return true;
          readBytes += length;
          found.push({ offset, value });
          return found.length < count && readBytes < mostBytes;
        });
        return found;
      },
    );
    return range.descending ? (records ?? []).toReversed() : (records ?? []);
  }

  async commit(operations: readonly LogOperation[]): Promise<readonly Outcome<number | boolean>[]> {
    await this.#file.pin();
    const outcomes: Outcome<number | boolean>[] = [];
    for (let from = 0; from < operations.length; ) {
      const rest = operations.slice(from);
      const until = rest.findIndex(({ type }) => type === "delete");
      const some = until === 0 ? rest.slice(0, 1) : rest.slice(0, until < 0 ? undefined : until);
      // What was done before a delete stays done, whatever comes of the rest.
      const work = until === 0 ? this.#delete() : this.#write(some as Exclude<LogOperation, { type: "delete" }>[]);
      outcomes.push(...(await work.catch((error: unknown) => some.map(() => ({ error })))));
      from += some.length;
    }
    return outcomes;
  }

  async tidy(): Promise<void> {
    const { start, head } = this.#index;
    const dead = start < head ? (this.#index.placeBefore(start)?.position ?? 0) : this.#file.size;
    if (dead < TIDY_BYTES || dead * 2 < this.#file.size || this.#file.size < this.#tidyAgainAt) return;
    this.#tidyAgainAt = this.#file.size * 2;
    await this.#file.pin();
    const dropped = [...this.#index.keys].filter(([, { offset }]) => offset < start);
    await this.#file.replace(this.#header(start), this.#linesFrom(start, dropped));
    this.#tidyAgainAt = this.#file.size * 2;
  }

  letGo(): Promise<void> {
    return this.#file.unpin();
  }

  /** The records of a range that there are, and where to start reading. */
  #select({ from, limit, descending }: CheckedReadRange) {
    const { start, head } = this.#index;
    const first = descending
      ? Math.max(start, Math.min(from ?? head, head - 1) - limit + 1)
      : Math.max(from ?? start, start);
    const end = descending ? Math.min(head, (from ?? head) + 1) : Math.min(head, first + limit);
    const place = first < end ? this.#index.placeBefore(first) : undefined;
    return place && { first, count: end - first, place };
  }

  async #delete(): Promise<readonly Outcome<boolean>[]> {
    await this.#file.pin();
    const value = this.#file.exists;
    if (value) await this.#file.remove();
    return [{ value }];
  }

  async #write(operations: readonly Exclude<LogOperation, { type: "delete" }>[]): Promise<readonly Outcome<number>[]> {
    await this.#file.pin();
    const plan = new Plan(this.#stream, this.#index);
    const outcomes = operations.map((operation) =>
      outcomeOf(() => (operation.type === "append" ? plan.append(operation) : plan.truncate(operation.before))),
    );
    if (plan.groups.length > 0) await this.#file.append(plan.groups, () => this.#header(0));
    return outcomes;
  }

  #header(start: number): NewLine {
    const object = { stream: this.#stream, start, id: randomUUID() };
    return { fields: JSON.stringify(object).slice(1, -1), object };
  }

  /** The lines of a file without what was dropped: keys first, then the records that are kept. */
  async *#linesFrom(
    start: number,
    dropped: readonly (readonly [string, KnownKey])[],
  ): AsyncGenerator<readonly NewLine[]> {
    for (let at = 0; at < dropped.length; at += KEYS_AT_ONCE) {
      const keys = dropped.slice(at, at + KEYS_AT_ONCE).map(([key, { offset, digest }]) => [key, offset, digest]);
      yield [{ fields: `"keys":${JSON.stringify(keys)}`, object: { keys } }];
    }
    const keyAt = new Map([...this.#index.keys].map(([key, known]) => [known.offset, { key, ...known }]));
    for (let next = start; next < this.#index.head; ) {
      const records = await this.read({ from: next, limit: this.#index.head, descending: false }, COPY_BYTES);
      yield records.map(({ offset, value }) => recordLine(offset, JSON.stringify(value), keyAt.get(offset)));
      next += records.length;
    }
  }
}

/** Operations of one burst, each seeing those before it, and the lines that they come to. */
class Plan {
  readonly groups: NewLine[][] = [];
  readonly #stream: string;
  readonly #index: LogIndex;
  readonly #keys = new Map<string, KnownKey>();
  #start: number;
  #head: number;

  constructor(stream: string, index: LogIndex) {
    this.#stream = stream;
    this.#index = index;
    this.#start = index.start;
    this.#head = index.head;
  }

  append({ append, texts }: LogAppend): number {
    const { idempotencyKey: key, expectedOffset, values } = append;
    const earlier = key === undefined ? undefined : (this.#keys.get(key) ?? this.#index.keys.get(key));
    if (earlier !== undefined) {
      if (digestOf(canonicalJson(values)) !== earlier.digest) throw otherValuesUnderKey(append);
      return earlier.offset;
    }
    const offset = this.#head;
    if (expectedOffset !== undefined && expectedOffset !== offset)
      throw writeConflict(`stream "${this.#stream}"`, expectedOffset, offset);
    const known = key === undefined ? undefined : { key, offset, digest: digestOf(canonicalJson(values)) };
    if (known !== undefined) this.#keys.set(known.key, known);
    this.groups.push(texts.map((text, index) => recordLine(offset + index, text, index === 0 ? known : undefined)));
    this.#head += texts.length;
    return offset;
  }

  truncate(before: number): number {
    const start = Math.min(before, this.#head);
    if (start <= this.#start) return start;
    this.#start = start;
    this.groups.push([{ fields: `"truncate":${start}`, object: { truncate: start } }]);
    return start;
  }
}

function recordLine(offset: number, text: string, known?: KnownKey & { readonly key: string }): NewLine {
  const fields = `"offset":${offset},"value":${text}`;
  if (known === undefined) return { fields, object: { offset } };
  const { key, digest } = known;
  return { fields: `${fields},"key":${JSON.stringify(key)},"digest":"${digest}"`, object: { offset, key, digest } };
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
