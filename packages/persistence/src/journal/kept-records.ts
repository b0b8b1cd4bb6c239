import {
  type AppendStore,
  corruptData,
  type JsonValue,
  type LogRecord,
  readNumber,
  readObject,
  readVersion,
} from "@tinyagents/core";
import { wholeList } from "./whole-list.js";

const FORMAT = 1;
/** How many records go from one place to the other at a time. */
export const KEPT_PAGE = 500;
const MOST_LOOKS = 10;
/** A stream that was listed is not there any more. */
const GONE: unique symbol = Symbol("gone");

/**
 * What was kept of the start of a stream when its journal was made smaller: records with the offsets that they had. Each
 * time it is written whole, as a stream of its own, which counts once its last record says that it is complete.
 */
export class KeptRecords {
  readonly #log: AppendStore;
  /** What names of the streams start with; a number follows. */
  readonly #prefix: string;

  constructor(log: AppendStore, prefix: string) {
    this.#log = log;
    this.#prefix = prefix;
  }

  /** Kept records from an offset on, at most `limit`. */
  read(from: number, limit: number, signal?: AbortSignal): Promise<readonly LogRecord[]> {
    return this.#look(async () => {
      const stream = await this.#newest(signal);
      if (stream === undefined) return [];
      if (stream === GONE) return GONE;
      const first = await this.#indexOf(stream, from, signal);
      const records = first === undefined ? [] : await this.#log.read(stream, { from: first, limit, signal });
      // At least its last record would be there.
      if (records.length === 0) return GONE;
      return records.flatMap(({ offset, value }) => readKept(value, `${stream} at offset ${offset}`) ?? []);
    });
  }

  /**
   * Replaces what is kept. The caller truncates the stream itself after this.
   * @throws `conflict` when somebody else does the same.
   */
  async replace(records: AsyncIterable<readonly LogRecord[]>, signal?: AbortSignal): Promise<void> {
    const earlier = await this.#streams(signal);
    const stream = this.#nameAfter(earlier.at(-1));
    let head = 0;
    const append = async (values: readonly JsonValue[]): Promise<void> => {
      await this.#log.append(stream, values, { expectedOffset: head, signal });
      head += values.length;
    };
    for await (const page of records) if (page.length > 0) await append(page.map(keptEntry));
    await append([{ v: FORMAT, type: "complete" }]);
    for (const name of earlier) await this.#log.delete(name, { signal });
  }

  async delete(): Promise<void> {
    for (const name of await this.#streams()) await this.#log.delete(name);
  }

  /** Looks again where what was looked at has gone, since it was replaced by one that is newer. */
  async #look<T>(look: () => Promise<T | typeof GONE>): Promise<T> {
    for (let looked = 0; looked < MOST_LOOKS; looked++) {
      const found = await look();
      if (found !== GONE) return found;
    }
    throw corruptData(`${this.#prefix}*`, "what was kept of the journal goes away whenever it is looked at");
  }

  /** The newest that is complete. */
  async #newest(signal: AbortSignal | undefined): Promise<string | undefined | typeof GONE> {
    for (const stream of (await this.#streams(signal)).reverse()) {
      const [last] = await this.#log.read(stream, { order: "descending", limit: 1, signal });
      if (last === undefined) return GONE;
      if (readKept(last.value, `${stream} at offset ${last.offset}`) === undefined) return stream;
    }
    return undefined;
  }

  async #streams(signal?: AbortSignal): Promise<string[]> {
    return wholeList((after) => this.#log.streams(this.#prefix, { after, signal }));
  }

  /** Numbers are written so that names order as they do. */
  #nameAfter(last: string | undefined): string {
    const number = last === undefined ? 1 : Number(last.slice(this.#prefix.length)) + 1;
    return `${this.#prefix}${String(number).padStart(9, "0")}`;
  }

  /** The index of the first record that was kept from an offset on, or of the last one; nothing for a stream that is gone. */
  async #indexOf(stream: string, from: number, signal: AbortSignal | undefined): Promise<number | undefined> {
    let low = 0;
    let high = (await this.#log.head(stream, { signal })) - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const [record] = await this.#log.read(stream, { from: middle, limit: 1, signal });
      if (record === undefined) return undefined;
      const kept = readKept(record.value, `${stream} at offset ${middle}`);
      if (kept === undefined || kept.offset >= from) high = middle;
      else low = middle + 1;
    }
    return high < 0 ? undefined : low;
  }
}

function keptEntry({ offset, value }: LogRecord): JsonValue {
  return { v: FORMAT, type: "kept", offset, value };
}

/** Nothing for the last record. @throws `corrupt_data`, `version_mismatch` */
function readKept(value: JsonValue, place: string): LogRecord | undefined {
  const entry = readObject(value, place);
  readVersion(entry, FORMAT, place);
  if (entry.type === "complete") return undefined;
  if (entry.type !== "kept" || entry.value === undefined)
    throw corruptData(place, 'a record of type "kept" or "complete" is expected');
  return { offset: readNumber(entry.offset, `${place}.offset`), value: entry.value };
}
