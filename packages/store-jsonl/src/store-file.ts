import { randomUUID } from "node:crypto";
import {
  type CheckedListQuery,
  type CheckedWrite,
  type Clock,
  corruptData,
  cursorAfter,
  type JsonObject,
  type Page,
  readNumber,
  recordName,
  type StoreAttributes,
  type StoreKey,
  type StoreRecord,
  type StoreValue,
  type StoreVersion,
  storeKeyText,
  writeConflict,
} from "@tinyagents/core";
import type { OpenFile } from "./files.js";
import { LineFile, type LineFileOptions } from "./line-file.js";
import { FIRST_LINE, followedBy, type LineStart, type NewLine } from "./line-group.js";
import { type Entry, StoreIndex } from "./store-index.js";
import { type Outcome, outcomesOf, type Target } from "./target.js";

/** A checked write; a put has its value as fields of its line. */
export interface StoreWrite {
  readonly id: string;
  readonly write: CheckedWrite;
  readonly valueFields: string;
}

/** What each write of an operation came to. */
export interface WriteResult {
  /** Of the record that was written; absent for a delete. */
  readonly version?: StoreVersion;
  /** Whether there was a record before. */
  readonly replaced: boolean;
}

/** A file is written anew when so much of it, and more than half, is of records that are gone, bytes. */
const TIDY_BYTES = 256 * 1024;
/** How much is copied at once when the file is written anew, bytes. */
const COPY_BYTES = 1024 * 1024;
/** How many values are read at once. */
const READS_AT_ONCE = 32;

/** The keyed records of a folder. An operation is one or more writes that are done together. */
export class StoreFile implements Target<readonly StoreWrite[], readonly WriteResult[]> {
  readonly #file: LineFile;
  readonly #index = new StoreIndex();
  readonly #clock: Clock;
  /** Makes versions of this store differ from those of others, also from those of writes that failed. */
  readonly #tag = randomUUID().slice(0, 8);
  #issued = 0;
  #writesSinceSweep = 0;
  #tidyAgainAt = 0;

  constructor(options: Omit<LineFileOptions, "index">, clock: Clock) {
    this.#file = new LineFile({ ...options, index: this.#index });
    this.#clock = clock;
  }

  get(key: StoreKey): Promise<StoreRecord | undefined> {
    const id = storeKeyText(key);
    return this.#file.read(
      () => this.#index.get(id, this.#clock.now()),
      (file, entry) => this.#readRecord(file, key, entry),
    );
  }

  async list({ limit, ...query }: CheckedListQuery): Promise<Page<StoreRecord>> {
    const page = await this.#file.read(
      () => {
        const found = this.#index.select(query, limit + 1, this.#clock.now());
        return found.length === 0 ? undefined : found;
      },
      async (file, found) => {
        const items: StoreRecord[] = [];
        const wanted = found.slice(0, limit);
        for (let at = 0; at < wanted.length; at += READS_AT_ONCE) {
          const some = wanted.slice(at, at + READS_AT_ONCE);
          items.push(...(await Promise.all(some.map(({ key, entry }) => this.#readRecord(file, key, entry)))));
        }
        const last = found.length > limit ? items.at(-1) : undefined;
        return last === undefined ? { items } : { items, cursor: cursorAfter(last.key) };
      },
    );
    return page ?? { items: [] };
  }

  async commit(operations: readonly (readonly StoreWrite[])[]): Promise<readonly Outcome<readonly WriteResult[]>[]> {
    await this.#file.pin();
    const nowMs = this.#clock.now();
    const lines: NewLine[] = [];
    const ahead = new Map<string, { readonly version: StoreVersion | null }>();
    const outcomes = outcomesOf(operations, (writes) => this.#plan(writes, nowMs, ahead, lines));
    if (lines.length > 0) await this.#file.append(lines, () => this.#header());
    this.#writesSinceSweep += lines.length;
    return outcomes;
  }

  async tidy(): Promise<void> {
    if (this.#writesSinceSweep > this.#index.size) {
      this.#writesSinceSweep = 0;
      this.#index.sweep(this.#clock.now());
    }
    const dead = this.#file.size - this.#index.liveBytes;
    if (dead < TIDY_BYTES || dead * 2 < this.#file.size || this.#file.size < this.#tidyAgainAt) return;
    this.#tidyAgainAt = this.#file.size * 2;
    await this.#file.pin();
    await this.#file.replace(this.#header(), this.#allLines());
    this.#tidyAgainAt = 0;
  }

  letGo(): Promise<void> {
    return this.#file.unpin();
  }

  /** The results of an operation, each write seeing those before it; its lines are added when all can be done. */
  #plan(
    writes: readonly StoreWrite[],
    nowMs: number,
    ahead: Map<string, { readonly version: StoreVersion | null }>,
    lines: NewLine[],
  ): readonly WriteResult[] {
    const mine: typeof ahead = new Map();
    const group: NewLine[] = [];
    const results = writes.map(({ id, write, valueFields }): WriteResult => {
      const staged = mine.get(id) ?? ahead.get(id);
      const found = staged === undefined ? (this.#index.get(id, nowMs)?.version ?? null) : staged.version;
      const { key, ifVersion } = write;
      if (ifVersion !== undefined && ifVersion !== found) throw writeConflict(recordName(key), ifVersion, found);
      if (write.type === "delete") {
        mine.set(id, { version: null });
        if (found !== null) group.push({ fields: `"delete":${id}`, object: { delete: key } });
        return { replaced: found !== null };
      }
      const version = this.#nextVersion();
      mine.set(id, { version });
      const expires = write.ttlMs === undefined ? {} : { expires: nowMs + write.ttlMs };
      group.push(putLine({ put: key, version, at: nowMs, ...expires, attributes: write.attributes }, valueFields));
      return { version, replaced: found !== null };
    });
    for (const [id, staged] of mine) ahead.set(id, staged);
    for (const [index, line] of group.entries()) lines.push(followedBy(group.length - 1 - index, line));
    return results;
  }

  #nextVersion(): StoreVersion {
    this.#issued = Math.max(this.#issued, this.#index.lastVersion) + 1;
    return `${this.#issued}-${this.#tag}`;
  }

  #header(): NewLine {
    const object = { lastVersion: Math.max(this.#issued, this.#index.lastVersion), id: randomUUID() };
    return { fields: JSON.stringify(object).slice(1, -1), object };
  }

  async #readRecord(file: OpenFile, key: StoreKey, entry: Entry): Promise<StoreRecord> {
    const object = await this.#file.readLine(file, entry);
    const where = this.#file.where(entry.line);
    if (storeKeyText(object.put as StoreKey) !== storeKeyText(key)) throw corruptData(where, "it is of another record");
    return {
      key: object.put as StoreKey,
      value: storedValue(object, where),
      version: entry.version,
      attributes: (object.attributes ?? {}) as StoreAttributes,
      updatedAtMs: readNumber(object.at, `${where}: at`),
    };
  }

  /** The lines whose records are there, in the order of the file. */
  async *#allLines(): AsyncGenerator<readonly NewLine[]> {
    const nowMs = this.#clock.now();
    for (let from: LineStart | undefined = FIRST_LINE; from !== undefined; ) {
      const start: LineStart = from;
      const lines: NewLine[] = [];
      let bytes = 0;
      from = await this.#file.read<LineStart, LineStart | undefined>(
        () => start,
        (file) =>
          this.#file.readLines(file, start, (object, { position, length }) => {
            const entry = object.put === undefined ? undefined : this.#index.get(JSON.stringify(object.put), nowMs);
            if (entry?.position === position) lines.push(copyOf(object));
            bytes += length;
            return bytes < COPY_BYTES;
          }),
      );
      yield lines;
    }
  }
}

/** The line without what says where it stood. */
function copyOf({ more: _more, crc: _crc, ...object }: JsonObject): NewLine {
  return { fields: JSON.stringify(object).slice(1, -1), object };
}

/** The value of a put as fields of its line. */
export function valueFieldsOf(value: StoreValue): string {
  switch (value.type) {
    case "json":
      return `"json":${JSON.stringify(value.value)}`;
    case "text":
      return `"text":${JSON.stringify(value.text)}`;
    case "bytes":
      return `"bytes":"${Buffer.from(value.bytes.buffer, value.bytes.byteOffset, value.bytes.byteLength).toString("base64")}"`;
  }
}

function storedValue({ json, text, bytes }: JsonObject, where: string): StoreValue {
  if (json !== undefined) return { type: "json", value: json };
  if (typeof text === "string") return { type: "text", text };
  if (typeof bytes === "string") return { type: "bytes", bytes: new Uint8Array(Buffer.from(bytes, "base64")) };
  throw corruptData(where, "a value of a type that is known here is expected");
}

function putLine(object: JsonObject, valueFields: string): NewLine {
  return { fields: `${JSON.stringify(object).slice(1, -1)},${valueFields}`, object };
}
