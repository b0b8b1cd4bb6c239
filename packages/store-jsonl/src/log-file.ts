import { createHash, randomUUID } from "node:crypto";
import {
  type CheckedAppend,
  type CheckedReadRange,
  canonicalJson,
  type JsonValue,
  type LogRecord,
  otherValuesUnderKey,
  writeConflict,
} from "@tinyagents/core";
import { LineFile, type LineFileOptions } from "./line-file.js";
import { followedBy, type NewLine } from "./line-group.js";
import { type KnownKey, LogIndex } from "./log-index.js";
import { type Outcome, outcomesOf, type Target } from "./target.js";

/** An append, checked, with its values as JSON text. */
interface LogAppend {
  readonly type: "append";
  readonly texts: readonly string[];
  readonly expectedOffset: number | undefined;
  readonly key: { readonly text: string; readonly digest: string } | undefined;
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

/** What is to be written for an append. Nothing of its arguments is held on to. */
export function logAppend({ values, expectedOffset, idempotencyKey: text }: CheckedAppend): LogAppend {
  const key = text === undefined ? undefined : { text, digest: digestOf(canonicalJson(values)) };
  return { type: "append", texts: values.map(toText), expectedOffset, key };
}

/** The log of one stream. */
export class LogFile implements Target<LogOperation, number | boolean> {
  readonly #file: LineFile;
  readonly #index: LogIndex;
  readonly #stream: string;
  readonly #onWritten: () => void;
  #tidyAgainAt = 0;

  /** @param onWritten is called when anything was written, before who asked for it is told. */
  constructor(stream: string, options: Omit<LineFileOptions, "index">, onWritten: () => void) {
    this.#stream = stream;
    this.#onWritten = onWritten;
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
    const outcomes = outcomesOf(operations, (operation) =>
      operation.type === "append" ? plan.append(operation) : plan.truncate(operation.before),
    );
    if (plan.lines.length > 0) {
      await this.#file.append(plan.lines, () => this.#header(0));
      this.#onWritten();
    }
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
  readonly lines: NewLine[] = [];
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

  append({ texts, expectedOffset, key }: LogAppend): number {
    const earlier = key && this.#appendedUnder(key);
    if (earlier !== undefined) return earlier;
    const offset = this.#head;
    if (expectedOffset !== undefined && expectedOffset !== offset)
      throw writeConflict(`stream "${this.#stream}"`, expectedOffset, offset);
    const known = key && { key: key.text, offset, digest: key.digest };
    if (known !== undefined) this.#keys.set(known.key, known);
    for (const [index, text] of texts.entries()) {
      const line = recordLine(offset + index, text, index === 0 ? known : undefined);
      this.lines.push(followedBy(texts.length - 1 - index, line));
    }
    this.#head += texts.length;
    return offset;
  }

  truncate(before: number): number {
    const start = Math.min(before, this.#head);
    if (start <= this.#start) return start;
    this.#start = start;
    this.lines.push({ fields: `"truncate":${start}`, object: { truncate: start } });
    return start;
  }

  /** The offset of an earlier append under the key. @throws `invalid_request` when that had other values. */
  #appendedUnder({ text, digest }: NonNullable<LogAppend["key"]>): number | undefined {
    const earlier = this.#keys.get(text) ?? this.#index.keys.get(text);
    if (earlier !== undefined && earlier.digest !== digest)
      throw otherValuesUnderKey({ stream: this.#stream, idempotencyKey: text });
    return earlier?.offset;
  }
}

function recordLine(offset: number, text: string, known?: KnownKey & { readonly key: string }): NewLine {
  const fields = `"offset":${offset},"value":${text}`;
  if (known === undefined) return { fields, object: { offset } };
  const { key, digest } = known;
  return { fields: `${fields},"key":${JSON.stringify(key)},"digest":"${digest}"`, object: { offset, key, digest } };
}

function toText(value: JsonValue): string {
  return JSON.stringify(value);
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
