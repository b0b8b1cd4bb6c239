import { compareKeyPrefix, compareStoreKeys, type StoreKey } from "@tinyagents/core";

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

/** Up to so many new places are put in one by one; more are sorted in together. */
const FEW = 4;

/** Records by key and in the order of their keys. What has expired is not there, whether or not it was swept yet. */
export class KeyedRecords {
  readonly #byId = new Map<string, Slot>();
  #ordered: Slot[] = [];
  /** Places that are not in order yet: a walk puts them there, so that filling a store costs no moves. */
  #added: Slot[] = [];
  #writesSinceSweep = 0;

  /** How many places are held, swept or not. */
  get size(): number {
    return this.#ordered.length + this.#added.length;
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
    this.#added.push(added);
  }

  delete(id: string, nowMs: number): void {
    this.#sweepNowAndThen(nowMs);
    const slot = this.#byId.get(id);
    if (slot !== undefined) slot.record = undefined;
  }

  *walk({ prefix, descending, after }: Walk, nowMs: number): Iterable<KeptRecord> {
    this.#putInOrder();
    let from = this.#firstWhere((key) => compareKeyPrefix(key, prefix) >= 0);
    let to = this.#firstWhere((key) => compareKeyPrefix(key, prefix) > 0);
    if (after !== undefined && descending)
      to = Math.min(
        to,
        this.#firstWhere((key) => compareStoreKeys(key, after) >= 0),
      );
    if (after !== undefined && !descending)
      from = Math.max(
        from,
        this.#firstWhere((key) => compareStoreKeys(key, after) > 0),
      );
    for (let i = 0; i < to - from; i++) {
      const record = aliveIn(this.#ordered[descending ? to - 1 - i : from + i], nowMs);
      if (record !== undefined) yield record;
    }
  }

  #putInOrder(): void {
    if (this.#added.length <= FEW) {
      for (const slot of this.#added) {
        const at = this.#firstWhere((key) => compareStoreKeys(key, slot.key) > 0);
        this.#ordered.splice(at, 0, slot);
      }
    } else {
      this.#ordered = this.#ordered.concat(this.#added).sort((one, other) => compareStoreKeys(one.key, other.key));
    }
    this.#added = [];
  }

  /** The first place, in order, for whose key `reached` holds; it must hold for all after it. */
  #firstWhere(reached: (key: StoreKey) => boolean): number {
    let low = 0;
    let high = this.#ordered.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (reached((this.#ordered[middle] as Slot).key)) high = middle;
      else low = middle + 1;
    }
    return low;
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
    const isHeld = ({ record }: Slot): boolean => record !== undefined;
    this.#ordered = this.#ordered.filter(isHeld);
    this.#added = this.#added.filter(isHeld);
  }
}

/** The record of a place, unless it is gone or has expired. */
function aliveIn(slot: Slot | undefined, nowMs: number): KeptRecord | undefined {
  const record = slot?.record;
  return record?.expiresAtMs !== undefined && record.expiresAtMs <= nowMs ? undefined : record;
}
