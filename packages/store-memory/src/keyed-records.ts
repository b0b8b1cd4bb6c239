import type { StoreKey } from "@tinyagents/core";
import { compareKeys, comparePrefix } from "./key.js";
import type { KeptRecord } from "./record.js";

/** Which records to walk over, and in which direction. */
export interface Walk {
  readonly prefix: StoreKey;
  readonly descending: boolean;
  /** Only what comes after this key, in the walk's direction. */
  readonly after?: StoreKey | undefined;
}

/** Records by key and in the order of their keys. What has expired is not there, whether or not it was swept yet. */
export class KeyedRecords {
  readonly #byId = new Map<string, KeptRecord>();
  #ordered: KeptRecord[] = [];
  #writesSinceSweep = 0;

  /** How many records are held, those included that have expired and were not swept yet. */
  get size(): number {
    return this.#ordered.length;
  }

  get(id: string, nowMs: number): KeptRecord | undefined {
    const record = this.#byId.get(id);
    return record === undefined || isExpired(record, nowMs) ? undefined : record;
  }

  set(record: KeptRecord, nowMs: number): void {
    this.#sweepNowAndThen(nowMs);
    const at = this.#firstWhere((other) => compareKeys(other.key, record.key) >= 0);
    this.#ordered.splice(at, this.#byId.has(record.id) ? 1 : 0, record);
    this.#byId.set(record.id, record);
  }

  delete(record: KeptRecord): void {
    if (!this.#byId.delete(record.id)) return;
    this.#ordered.splice(
      this.#firstWhere((other) => compareKeys(other.key, record.key) >= 0),
      1,
    );
  }

  *walk({ prefix, descending, after }: Walk, nowMs: number): Iterable<KeptRecord> {
    let from = this.#firstWhere(({ key }) => comparePrefix(key, prefix) >= 0);
    let to = this.#firstWhere(({ key }) => comparePrefix(key, prefix) > 0);
    if (after !== undefined && descending)
      to = Math.min(
        to,
        this.#firstWhere(({ key }) => compareKeys(key, after) >= 0),
      );
    if (after !== undefined && !descending)
      from = Math.max(
        from,
        this.#firstWhere(({ key }) => compareKeys(key, after) > 0),
      );
    for (let i = 0; i < to - from; i++) {
      const record = this.#ordered[descending ? to - 1 - i : from + i];
      if (record !== undefined && !isExpired(record, nowMs)) yield record;
    }
  }

  /** The place of the first record, in order, for which `reached` holds; it must hold for all after it. */
  #firstWhere(reached: (record: KeptRecord) => boolean): number {
    let low = 0;
    let high = this.#ordered.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (reached(this.#ordered[middle] as KeptRecord)) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Frees what has expired, once per as many writes as there are records: a constant share of each write. */
  #sweepNowAndThen(nowMs: number): void {
    if (++this.#writesSinceSweep <= this.#ordered.length) return;
    this.#writesSinceSweep = 0;
    const kept: KeptRecord[] = [];
    for (const record of this.#ordered) {
      if (isExpired(record, nowMs)) this.#byId.delete(record.id);
      else kept.push(record);
    }
    this.#ordered = kept;
  }
}

function isExpired(record: KeptRecord, nowMs: number): boolean {
  return record.expiresAtMs !== undefined && record.expiresAtMs <= nowMs;
}
