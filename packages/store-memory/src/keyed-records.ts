import { compareKeyPrefix, compareStoreKeys, type StoreKey } from "@tinyagents/core";
import { firstWhere, InOrder } from "./in-order.js";
import type { KeptRecord } from "./record.js";

/** Which records to walk over, and in which direction. */
export interface Walk {
  readonly prefix: StoreKey;
  readonly descending: boolean;
  /** Only what comes after this key, in the walk's direction. */
  readonly after?: StoreKey | undefined;
}

/** The place of a key. It stays for a while after its record is gone, and is swept later. */
interface Slot {
  readonly key: StoreKey;
  record: KeptRecord | undefined;
}

/** Records by key and in the order of their keys. What has expired is not there, whether or not it was swept yet. */
export class KeyedRecords {
  readonly #byId = new Map<string, Slot>();
  readonly #ordered = new InOrder<Slot>((one, other) => compareStoreKeys(one.key, other.key));
  #writesSinceSweep = 0;

  /** How many places are held, swept or not. */
  get size(): number {
    return this.#ordered.size;
  }

  get(id: string, nowMs: number): KeptRecord | undefined {
    return aliveIn(this.#byId.get(id), nowMs);
  }

  set(record: KeptRecord, nowMs: number): void {
    this.#sweepNowAndThen(nowMs);
    const slot = this.#byId.get(record.id);
    if (slot !== undefined) {
      slot.record = record;
      return;
    }
    const added = { key: record.key, record };
    this.#byId.set(record.id, added);
    this.#ordered.add(added);
  }

  delete(id: string, nowMs: number): void {
    this.#sweepNowAndThen(nowMs);
    const slot = this.#byId.get(id);
    if (slot !== undefined) slot.record = undefined;
  }

  *walk({ prefix, descending, after }: Walk, nowMs: number): Iterable<KeptRecord> {
    const all = this.#ordered.all();
    const firstKey = (reached: (key: StoreKey) => boolean): number => firstWhere(all, ({ key }) => reached(key));
    let from = firstKey((key) => compareKeyPrefix(key, prefix) >= 0);
    let to = firstKey((key) => compareKeyPrefix(key, prefix) > 0);
    if (after !== undefined && descending)
      to = Math.min(
        to,
        firstKey((key) => compareStoreKeys(key, after) >= 0),
      );
    if (after !== undefined && !descending)
      from = Math.max(
        from,
        firstKey((key) => compareStoreKeys(key, after) > 0),
      );
    for (let i = 0; i < to - from; i++) {
      const record = aliveIn(all[descending ? to - 1 - i : from + i], nowMs);
      if (record !== undefined) yield record;
    }
  }

  /** Frees the places of records that are gone, once per as many writes as there are places. */
  #sweepNowAndThen(nowMs: number): void {
    if (++this.#writesSinceSweep <= this.size) return;
    this.#writesSinceSweep = 0;
    for (const [id, slot] of this.#byId) {
      if (aliveIn(slot, nowMs) !== undefined) continue;
      slot.record = undefined;
      this.#byId.delete(id);
    }
    this.#ordered.keepOnly(({ record }) => record !== undefined);
  }
}

/** The record of a place, unless it is gone or has expired. */
function aliveIn(slot: Slot | undefined, nowMs: number): KeptRecord | undefined {
  const record = slot?.record;
  return record?.expiresAtMs !== undefined && record.expiresAtMs <= nowMs ? undefined : record;
}
