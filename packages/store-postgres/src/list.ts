import {
  cursorAfter,
  type ListQuery,
  type Page,
  readListQuery,
  type StoreKey,
  type StoreRecord,
  storeKeyBytes,
  storeKeyRangeEnd,
} from "@tinyagents/core";
import { recordOf, terms } from "./record.js";
import type { StoreContext } from "./store.js";

/** One page of a listing. The database selects, orders and bounds it. */
export async function listPage(
  { database, statements, namespace, owner, clock }: StoreContext,
  query: ListQuery,
  signal: AbortSignal | undefined,
): Promise<Page<StoreRecord>> {
  const { prefix, after, where, descending, limit } = readListQuery(query);
  const { from, to } = rangeOf(prefix, after, descending);
  const selected = terms(where, namespace);
  const selects = selected.length > 0;
  const values = [
    owner,
    clock.now(),
    from,
    ...(to === undefined ? [] : [to]),
    ...(selects ? [selected] : []),
    limit + 1,
  ];
  const statement = statements.list({ descending, ends: to !== undefined, selects });
  const items = (await database.query(statement, values, signal)).map(recordOf);
  const last = items.length > limit ? items[limit - 1] : undefined;
  return last === undefined ? { items } : { items: items.slice(0, limit), cursor: cursorAfter(last.key) };
}

/** Keys from the first, and before the second: those of a prefix, after a key in the order that is asked for. */
function rangeOf(
  prefix: StoreKey,
  after: StoreKey | undefined,
  descending: boolean,
): { readonly from: Uint8Array; readonly to: Uint8Array | undefined } {
  const from = storeKeyBytes(prefix);
  const to = storeKeyRangeEnd(prefix);
  if (after === undefined) return { from, to };
  const place = storeKeyBytes(after);
  if (descending) return { from, to: to === undefined || Buffer.compare(place, to) < 0 ? place : to };
  // Nothing stands between bytes and the same with a 0 behind them.
  const next = Buffer.concat([place, Buffer.of(0)]);
  return { from: Buffer.compare(next, from) > 0 ? next : from, to };
}
