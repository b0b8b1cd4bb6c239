import type { ListQuery, Page, StoreKey, StoreRecord } from "@tinyagents/core";
import { checkKey, checkNames, idOf } from "./key.js";
import type { KeyedRecords } from "./keyed-records.js";
import { copyAttributes, hasAttributes, snapshot } from "./record.js";
import { checkFields, checkWholeNumber, readOrder, refused } from "./refuse.js";

/** One page of a listing. */
export function listPage(records: KeyedRecords, query: ListQuery, nowMs: number): Page<StoreRecord> {
  checkFields(query, ["prefix", "where", "order", "limit", "cursor"], "query");
  const prefix = checkNames(query.prefix, "prefix");
  const limit = checkWholeNumber(query.limit ?? 100, 1, "limit");
  const descending = readOrder(query.order);
  const where = copyAttributes(query.where ?? {}, "where");
  const after = query.cursor === undefined ? undefined : readCursor(query.cursor);
  const items: StoreRecord[] = [];
  for (const record of records.walk({ prefix, descending, after }, nowMs)) {
    if (!hasAttributes(record, where)) continue;
    const last = items[limit - 1];
    if (last !== undefined) return { items, cursor: idOf(last.key) };
    items.push(snapshot(record));
  }
  return { items };
}

/** A cursor is the last key of its page: whatever comes and goes meanwhile, the next page starts after it. */
function readCursor(cursor: string): StoreKey {
  try {
    return checkKey(JSON.parse(cursor) as StoreKey, "cursor");
  } catch {
    throw refused("cursor", "the cursor of an earlier page is expected");
  }
}
