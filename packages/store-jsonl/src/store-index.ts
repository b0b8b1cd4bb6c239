import {
  type CheckedListQuery,
  compareKeyPrefix,
  compareStoreKeys,
  type JsonObject,
  type JsonValue,
  matchesAttributes,
  readArray,
  readNumber,
  readObject,
  readStoreKey,
  readString,
  type StoreAttributes,
  type StoreKey,
  type StoreVersion,
  storeKeyText,
} from "@tinyagents/core";
import type { LineIndex, NameLine } from "./known-lines.js";
import type { LinePlace } from "./line-group.js";

/** A record whose value is in the file. */
export interface Entry extends LinePlace {
  readonly version: StoreVersion;
  readonly attributes: StoreAttributes;
  /** From this time on the record is gone, ms since 1970; absent: never. */
  readonly expiresAtMs?: number;
}

/** A record that was asked for. */
export interface Found {
  readonly key: StoreKey;
  readonly entry: Entry;
}

/** A key that has, or had, a record. */
interface Slot {
  readonly key: StoreKey;
  entry: Entry | undefined;
}

/** Up to so many new keys are put in their places one by one; more are sorted in together. */
const FEW = 8;

/**
 * Keys, attributes and places of all records; their values stay in the file. Its lines:
 * - first: `lastVersion` (the number of the newest version when the file was written anew), `id` (of this file alone)
 * - `put`: the key; with `version`, `at`, `expires`, `attributes`, and the value as `json`, `text` or `bytes` (base64)
 * - `delete`: the key
 */
export class StoreIndex implements LineIndex {
  readonly format = "tinyagents.store";
  #slots = new Map<string, Slot>();
  #ordered: Slot[] = [];
  #unordered: Slot[] = [];
  /** Bytes of the lines whose records are there. */
  liveBytes = 0;
  /** The number of the newest version that was seen. It never goes down. */
  lastVersion = 0;

  /** How many keys there are, with those whose record expired. */
  get size(): number {
    return this.#slots.size;
  }

  reset(): void {
    this.#slots = new Map();
    this.#ordered = [];
    this.#unordered = [];
    this.liveBytes = 0;
  }

  header(object: JsonObject, where: string): void {
    this.#sawVersion(readNumber(object.lastVersion, `${where}: lastVersion`));
  }

  apply(object: JsonObject, place: LinePlace, nameLine: NameLine): void {
    const where = nameLine(place.line);
    if (object.delete !== undefined) {
      this.#set(keyOf(object.delete, where), undefined);
      return;
    }
    const version = readString(object.version, `${where}: version`);
    this.#sawVersion(Number.parseInt(version, 10));
    this.#set(keyOf(object.put, where), {
      ...place,
      version,
      attributes: readObject(object.attributes ?? {}, `${where}: attributes`) as StoreAttributes,
      ...(object.expires === undefined ? {} : { expiresAtMs: readNumber(object.expires, `${where}: expires`) }),
    });
  }

  get(id: string, nowMs: number): Entry | undefined {
    return aliveIn(this.#slots.get(id), nowMs);
  }

  /** At most `limit` records that a query asks for, in its order. */
  select(
    { prefix, where, descending, after }: Omit<CheckedListQuery, "limit">,
    limit: number,
    nowMs: number,
  ): readonly Found[] {
    this.#putInOrder();
    const from = this.#firstWhere((key) => compareKeyPrefix(key, prefix) >= 0);
    const to = this.#firstWhere((key) => compareKeyPrefix(key, prefix) > 0);
    const found: Found[] = [];
    const start = after === undefined ? (descending ? to : from) : this.#placeAfter(after, descending);
    const low = descending ? from : Math.max(from, start);
    const high = descending ? Math.min(to, start) : to;
    for (let i = 0; i < high - low && found.length < limit; i++) {
      const slot = this.#ordered[descending ? high - 1 - i : low + i] as Slot;
      const entry = aliveIn(slot, nowMs);
      if (entry !== undefined && matchesAttributes(entry.attributes, where)) found.push({ key: slot.key, entry });
    }
    return found;
  }

  /** Takes away keys without a record, and those whose record expired. */
  sweep(nowMs: number): void {
    for (const [id, slot] of this.#slots) {
      if (aliveIn(slot, nowMs) !== undefined) continue;
      this.#replaceEntry(slot, undefined);
      this.#slots.delete(id);
    }
    this.#ordered = this.#ordered.filter(({ entry }) => entry !== undefined);
    this.#unordered = this.#unordered.filter(({ entry }) => entry !== undefined);
  }

  #set(key: StoreKey, entry: Entry | undefined): void {
    const id = storeKeyText(key);
    const slot = this.#slots.get(id);
    if (slot !== undefined) this.#replaceEntry(slot, entry);
    if (slot !== undefined || entry === undefined) return;
    const added: Slot = { key, entry: undefined };
    this.#replaceEntry(added, entry);
    this.#slots.set(id, added);
    this.#unordered.push(added);
  }

  #replaceEntry(slot: Slot, entry: Entry | undefined): void {
    this.liveBytes += (entry?.length ?? 0) - (slot.entry?.length ?? 0);
    slot.entry = entry;
  }

  #sawVersion(number: number): void {
    if (number > this.lastVersion) this.lastVersion = number;
  }

  #putInOrder(): void {
    const added = this.#unordered;
    if (added.length === 0) return;
    this.#unordered = [];
    if (added.length > FEW) {
      // Two runs, the longer one sorted already: engines merge them in little more than one pass.
      this.#ordered = [...this.#ordered, ...added].sort((one, other) => compareStoreKeys(one.key, other.key));
      return;
    }
    for (const slot of added) this.#ordered.splice(this.#placeAfter(slot.key, false), 0, slot);
  }

  /** Where keys after this one begin; descending: where keys from this one on begin. */
  #placeAfter(key: StoreKey, descending: boolean): number {
    return this.#firstWhere((other) => compareStoreKeys(other, key) >= (descending ? 0 : 1));
  }

  /** The first place, in order, for whose key `reached` holds; it holds for all behind it. */
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
}

function aliveIn(slot: Slot | undefined, nowMs: number): Entry | undefined {
  const entry = slot?.entry;
  return entry?.expiresAtMs !== undefined && entry.expiresAtMs <= nowMs ? undefined : entry;
}

function keyOf(value: JsonValue | undefined, where: string): StoreKey {
  const names = readArray(value, `${where}: key`).map((name) => readString(name, `${where}: key`));
  return readStoreKey(names, `${where}: key`);
}
