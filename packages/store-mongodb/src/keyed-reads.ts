import {
  corruptData,
  cursorAfter,
  type ListQuery,
  matchesAttributes,
  type Page,
  readListQuery,
  type StoreRecord,
  storeFailure,
  throwIfAborted,
} from "@tinyagents/core";
import { type Fields, MOST_DOCUMENTS } from "./driver.js";
import { idOfKey, idsUnder, keyOfId } from "./fields.js";
import type { Place } from "./place.js";
import { attributeEntries, isExpired, placeOf, readRecord, readRecordFields } from "./record-document.js";

/** Records that are written again while their chunks are read are read again, so often. */
const MOST_TRIES = 20;

/** The record of an `_id`, unless there is none or its time is over. */
export async function getRecord(
  { collections, chunks, clock }: Place,
  id: string,
  signal: AbortSignal | undefined,
): Promise<StoreRecord | undefined> {
  let seen: unknown;
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    throwIfAborted(signal);
    const found = (await collections.records.findOne({ _id: id }, { signal })) as Fields | null;
    if (found === null || isExpired(found, clock.now(), placeOf(found))) return undefined;
    const record = await readRecord(found, chunks, signal);
    if (record !== undefined) return record;
    if (found.version === seen) throw corruptData(`${placeOf(found)}.chunks`, "some of its bytes are not there");
    seen = found.version;
  }
  throw storeFailure("MongoDB store", "get", "the record is written all the time", { retryable: true });
}

/** One page of a listing, in the order of `_id`s, which is that of keys. */
export async function listPage(
  place: Place,
  query: ListQuery,
  signal: AbortSignal | undefined,
): Promise<Page<StoreRecord>> {
  const { prefix, where, descending, limit, after } = readListQuery(query);
  const { from, to } = idsUnder(prefix);
  const nowMs = place.clock.now();
  const wanted = attributeEntries(where);
  const filter = {
    _id: { $gte: from, $lt: to, ...(after === undefined ? {} : beyond(idOfKey(after), descending, to)) },
    ...(wanted.length === 0 ? {} : { attributes: { $all: wanted } }),
    expiresAtMs: { $not: { $lte: nowMs } },
  };
  const documents = await place.collections.records
    .find(filter, { signal })
    .sort({ _id: descending ? -1 : 1 })
    .limit(Math.min(limit + 1, MOST_DOCUMENTS))
    .toArray();
  const items: StoreRecord[] = [];
  for (const document of documents.slice(0, limit)) {
    const found = readRecordFields(document);
    // A time that cannot be read is no later time: the filter lets it pass.
    isExpired(found, nowMs, placeOf(found));
    const record =
      (await readRecord(found, place.chunks, signal)) ?? (await getRecord(place, String(found._id), signal));
    // A record that was written again meanwhile may be one that nobody asks for.
    if (record !== undefined && matchesAttributes(record.attributes, where)) items.push(record);
  }
  if (documents.length <= limit) return { items };
  return { items, cursor: cursorAfter(keyOfId(readRecordFields(documents[limit - 1])._id, "records._id")) };
}

/** What comes after a key, in the order that is asked for. */
function beyond(id: string, descending: boolean, to: string): object {
  if (!descending) return { $gt: id };
  return id < to ? { $lt: id } : {};
}
