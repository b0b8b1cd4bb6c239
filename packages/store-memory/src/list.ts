import {
  cursorAfter,
  type ListQuery,
  matchesAttributes,
  type Page,
  readListQuery,
  type StoreRecord,
} from "@tinyagents/core";
import type { KeyedRecords } from "./keyed-records.js";
import { snapshot } from "./record.js";

/** One page of a listing. */
export function listPage(records: KeyedRecords, query: ListQuery, nowMs: number): Page<StoreRecord> {
  const { where, limit, ...walk } = readListQuery(query);
  const items: StoreRecord[] = [];
  for (const record of records.walk(walk, nowMs)) {
    if (!matchesAttributes(record.attributes, where)) continue;
    const last = items[limit - 1];
    if (last !== undefined) return { items, cursor: cursorAfter(last.key) };
    items.push(snapshot(record));
  }
  return { items };
}
