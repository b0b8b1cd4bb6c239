import { type Page, readWholeNumber, type StoreCallOptions } from "@tinyagents/core";
import type { IndexedRecords, OrderQuery } from "./indexed-records.js";

/**
 * A page of the records of an order that match. Those that do not are read and left out: for orders that hold little else.
 */
export async function listMatching<T>(
  records: IndexedRecords<T>,
  order: string,
  parts: readonly string[],
  query: OrderQuery,
  matches: (record: T) => boolean,
  options?: StoreCallOptions,
): Promise<Page<T>> {
  const wanted = readWholeNumber(query.limit ?? 100, 1, "limit");
  const items: T[] = [];
  let { cursor } = query;
  do {
    const page = await records.list(order, parts, { ...query, limit: wanted - items.length, cursor }, options);
    for (const { record } of page.items) if (matches(record)) items.push(record);
    cursor = page.cursor;
  } while (cursor !== undefined && items.length < wanted);
  return cursor === undefined ? { items } : { items, cursor };
}
