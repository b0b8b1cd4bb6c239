import { corruptData, type JsonObject, readNumber, readString } from "@tinyagents/core";
import type { LineIndex, NameLine } from "./known-lines.js";
import type { LinePlace } from "./line-group.js";

/** What was appended under an idempotency key. */
export interface KnownKey {
  readonly offset: number;
  /** Of the values, see `digestOf`. */
  readonly digest: string;
}

/** A record whose place is known. Those behind it are found by reading on. */
interface Point extends LinePlace {
  readonly offset: number;
}

/** How far apart the records are whose places are known, bytes. */
const POINT_BYTES = 32 * 1024;

/**
 * What is known of the log of one stream. Its lines:
 * - first: `stream`, `start` (offset of the first record), `id` (of this file alone)
 * - a record: `offset`, `value`; the first of an append with a key has `key` and `digest` too
 * - `truncate`: the records before that offset are dropped
 * - `keys`: `[key, offset, digest]` of records that are gone from the file
 */
export class LogIndex implements LineIndex {
  readonly format = "tinyagents.log";
  readonly #stream: string;
  #points: Point[] = [];
  readonly keys: Map<string, KnownKey> = new Map();
  /** Offset of the first record that is kept. */
  start = 0;
  /** The next offset. */
  head = 0;

  constructor(stream: string) {
    this.#stream = stream;
  }

  reset(): void {
    this.#points = [];
    this.keys.clear();
    this.start = this.head = 0;
  }

  header(object: JsonObject, where: string): void {
    if (object.stream !== this.#stream) throw corruptData(where, "the file belongs to another stream");
    this.start = this.head = readNumber(object.start, `${where}: start`);
  }

  apply(object: JsonObject, place: LinePlace, nameLine: NameLine): void {
    if (object.truncate !== undefined) {
      const truncate = readNumber(object.truncate, `${nameLine(place.line)}: truncate`);
      this.start = Math.min(this.head, Math.max(this.start, truncate));
      return;
    }
    if (Array.isArray(object.keys)) {
      for (const entry of object.keys) this.#learnKey(entry, nameLine(place.line));
      return;
    }
    if (object.offset !== this.head)
      throw corruptData(nameLine(place.line), `a record with the offset ${this.head} is expected`);
    const last = this.#points.at(-1);
    if (last === undefined || place.position - last.position >= POINT_BYTES)
      this.#points.push({ ...place, offset: this.head });
    if (object.key !== undefined) this.#learnKey([object.key, this.head, object.digest ?? null], nameLine(place.line));
    this.head++;
  }

  /** The last known place of a record at or before an offset that is kept. */
  placeBefore(offset: number): LinePlace | undefined {
    let low = 0;
    let high = this.#points.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#points[middle] as Point).offset <= offset) low = middle + 1;
      else high = middle;
    }
    return this.#points[low - 1];
  }

  #learnKey(entry: unknown, where: string): void {
    const [key, offset, digest] = Array.isArray(entry) ? entry : [];
    this.keys.set(readString(key, `${where}: key`), {
      offset: readNumber(offset, `${where}: offset`),
      digest: readString(digest, `${where}: digest`),
    });
  }
}
