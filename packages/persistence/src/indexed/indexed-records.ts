import {
  type Clock,
  checkFields,
  corruptData,
  invalidArgument,
  isTinyAgentsError,
  type JsonValue,
  type Page,
  readOrder,
  readWholeNumber,
  type Store,
  type StoreCallOptions,
  type StoreKey,
  type StoreRecord,
  type StoreVersion,
  storeKeyText,
  systemClock,
  writeConflict,
} from "@tinyagents/core";
import { entryKeys, keysOnlyIn, orderPrefix, recordKey } from "./entries.js";
import { placeOf, type RecordKind } from "./record-kind.js";
import { ENTRY_GRACE_MS, removeEntry, writeWithEntries } from "./write-entries.js";

/** A record, and the version that a write of it expects. */
export interface Versioned<T> {
  readonly record: T;
  readonly version: StoreVersion;
}

/** Which part of an order to list. */
export interface OrderQuery {
  readonly order?: "ascending" | "descending" | undefined;
  /** At most this many. Default 100. */
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** The fields of an {@link OrderQuery}, for those who check queries that have more. */
const ORDER_QUERY_FIELDS = ["order", "limit", "cursor"] as const;

/** How many entries of an order are followed at a time. */
const AT_ONCE = 100;

/** How often a write is tried again that lost against another. */
const ATTEMPTS = 64;

/**
 * Records that are found by id and in several orders, on any store. A listing is one of keys in a store's own order: it
 * does not get slower with what is not listed. The record alone counts: an entry of an order that is not the record's any
 * more (a writer was killed where batches are not all or nothing) is passed over, and taken away once it is old.
 */
export class IndexedRecords<T> {
  readonly #store: Store;
  readonly #kind: RecordKind<T>;
  readonly #clock: Clock;

  constructor(store: Store, kind: RecordKind<T>, clock: Clock = systemClock) {
    this.#store = store;
    this.#kind = kind;
    this.#clock = clock;
  }

  /** @throws `corrupt_data`, `version_mismatch` */
  async get(id: string, options?: StoreCallOptions): Promise<Versioned<T> | undefined> {
    this.#checkId(id);
    const found = await this.#store.get(recordKey(this.#kind, id), options);
    return found && { record: this.#read(id, found), version: found.version };
  }

  /**
   * Replaces a record.
   * @throws `conflict` when `ifVersion` is not the version that is there; `null`: when there is one.
   */
  async put(id: string, record: T, ifVersion: StoreVersion | null, options?: StoreCallOptions): Promise<StoreVersion> {
    const before = await this.get(id, options);
    if ((before?.version ?? null) !== ifVersion) throw this.#conflict(id, ifVersion, before?.version ?? null);
    return this.#replace(id, before, record, options);
  }

  /**
   * Puts what a function makes of the record that is there, again when somebody else wrote in between. It gives the record
   * itself to leave it as it is. @throws what the function throws.
   */
  async change(id: string, decide: (record: T | undefined) => T, options?: StoreCallOptions): Promise<Versioned<T>> {
    for (let attempt = 1; ; attempt++) {
      const before = await this.get(id, options);
      const record = decide(before?.record);
      if (before !== undefined && record === before.record) return before;
      try {
        return { record, version: await this.#replace(id, before, record, options) };
      } catch (error) {
        if (attempt >= ATTEMPTS || !isTinyAgentsError(error, "conflict")) throw error;
      }
    }
  }

  /** Whether there was a record to take away, damaged or not. @throws `conflict` when `ifVersion` is not the version that is there. */
  async delete(id: string, ifVersion?: StoreVersion, options?: StoreCallOptions): Promise<boolean> {
    this.#checkId(id);
    const key = recordKey(this.#kind, id);
    const found = await this.#store.get(key, options);
    if (found === undefined && ifVersion !== undefined) throw this.#conflict(id, ifVersion, null);
    if (found === undefined) return false;
    if (ifVersion !== undefined && found.version !== ifVersion) throw this.#conflict(id, ifVersion, found.version);
    const remove = this.#entriesOf(id, found);
    await writeWithEntries(this.#store, this.#clock, { key, ifVersion: found.version, add: [], remove }, options);
    return true;
  }

  /** Records of an order whose parts start with some, a page at a time. A page that is not the last may be short. */
  async list(
    order: string,
    parts: readonly string[],
    { order: direction, limit, cursor }: OrderQuery,
    options?: StoreCallOptions,
  ): Promise<Page<Versioned<T>>> {
    const prefix = orderPrefix(this.#kind, order, parts);
    const wanted = readWholeNumber(limit ?? 100, 1, "limit");
    readOrder(direction);
    const items: Versioned<T>[] = [];
    let after = cursor;
    do {
      const query = { prefix, order: direction, limit: Math.min(wanted - items.length, AT_ONCE), cursor: after };
      const page = await this.#store.list(query, options);
      for (const found of await Promise.all(page.items.map((entry) => this.#follow(entry, options)))) {
        if (found !== undefined) items.push(found);
      }
      after = page.cursor;
    } while (after !== undefined && items.length < wanted);
    return after === undefined ? { items } : { items, cursor: after };
  }

  async #replace(
    id: string,
    before: Versioned<T> | undefined,
    record: T,
    options?: StoreCallOptions,
  ): Promise<StoreVersion> {
    const [old, now] = [entryKeys(this.#kind, id, before?.record), entryKeys(this.#kind, id, record)];
    const write = {
      key: recordKey(this.#kind, id),
      value: record as unknown as JsonValue,
      ifVersion: before?.version ?? null,
      add: keysOnlyIn(now, old),
      remove: keysOnlyIn(old, now),
    };
    const version = await writeWithEntries(this.#store, this.#clock, write, options);
    return version as StoreVersion;
  }

  /** The record that an entry leads to; nothing when it leads nowhere any more. */
  async #follow(entry: StoreRecord, options?: StoreCallOptions): Promise<Versioned<T> | undefined> {
    const id = entry.key.at(-1) as string;
    const found = await this.get(id, options);
    if (found !== undefined && entryKeys(this.#kind, id, found.record).has(storeKeyText(entry.key))) return found;
    if (entry.updatedAtMs <= this.#clock.now() - ENTRY_GRACE_MS) await removeEntry(this.#store, entry);
    return undefined;
  }

  /** A record that is damaged does not say where it is listed: its entries lead nowhere from then on. */
  #entriesOf(id: string, found: StoreRecord): StoreKey[] {
    try {
      return [...entryKeys(this.#kind, id, this.#read(id, found)).values()];
    } catch (error) {
      if (!isTinyAgentsError(error, "corrupt_data")) throw error;
      return [];
    }
  }

  #read(id: string, { value }: StoreRecord): T {
    const place = placeOf(this.#kind, id);
    if (value.type !== "json") throw corruptData(place, `JSON is expected, ${value.type} found`);
    return this.#kind.read(value.value, place);
  }

  #checkId(id: string): void {
    if (typeof id !== "string" || id === "")
      throw invalidArgument("id", `the id of a ${this.#kind.name} that is not empty is expected`);
  }

  #conflict(id: string, expected: StoreVersion | null, found: StoreVersion | null): Error {
    return writeConflict(placeOf(this.#kind, id), expected, found);
  }
}

/** Checks the fields of a query. @throws `invalid_request` for one that nobody reads. */
export function checkOrderQuery(query: object, fields: readonly string[]): void {
  checkFields(query, [...fields, ...ORDER_QUERY_FIELDS], "query");
}
