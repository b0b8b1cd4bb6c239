import { type StoreKey, storeKeyText } from "@tinyagents/core";
import type { RecordKind } from "./record-kind.js";

/** Where the record of an id is. */
export function recordKey(kind: Pick<RecordKind<never>, "prefix">, id: string): StoreKey {
  return [...kind.prefix, "id", id];
}

/** What the keys of an order's entries start with, under some of its parts. */
export function orderPrefix(
  kind: Pick<RecordKind<never>, "prefix">,
  order: string,
  parts: readonly string[],
): StoreKey {
  return [...kind.prefix, "by", order, ...parts];
}

/** The keys under which a record is found, by their text. */
export function entryKeys<T>(kind: RecordKind<T>, id: string, record: T | undefined): Map<string, StoreKey> {
  const keys = new Map<string, StoreKey>();
  if (record === undefined) return keys;
  for (const [order, partsOf] of Object.entries(kind.orders)) {
    const parts = partsOf(record);
    if (parts === undefined) continue;
    const key = [...orderPrefix(kind, order, parts), id];
    keys.set(storeKeyText(key), key);
  }
  return keys;
}

/** The keys of `from` that are not among `without`. */
export function keysOnlyIn(from: ReadonlyMap<string, StoreKey>, without: ReadonlyMap<string, StoreKey>): StoreKey[] {
  return [...from].filter(([text]) => !without.has(text)).map(([, key]) => key);
}
