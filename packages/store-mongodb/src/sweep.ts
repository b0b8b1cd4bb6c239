import { LEFT_BEHIND_MS, ownerOf } from "./chunks.js";
import type { Fields } from "./driver.js";
import { dropIncarnation } from "./log-cleaning.js";
import type { Place } from "./place.js";
import { idsOfIncarnation } from "./stream-document.js";

/** So many owners are looked at at once: opening takes a bounded time. */
const MOST_AT_ONCE = 100;

/**
 * Looks at owners that nobody has looked at for long, and takes away what has none: its process is gone. What is in use is
 * looked at again after as long.
 */
export async function sweep(place: Place): Promise<void> {
  const old = { seenAtMs: { $lt: place.clock.now() - LEFT_BEHIND_MS } };
  const left = await place.collections.owners.find(old).sort({ seenAtMs: 1 }).limit(MOST_AT_ONCE).toArray();
  for (const found of left) {
    const { _id: id, type, place: at } = found as Fields;
    if (typeof id !== "string" || typeof at !== "string") continue;
    if (type === "stream") await sweepStream(place, id, at);
    else if (type === "record" || type === "append") await sweepChunks(place, id, type, at);
  }
}

async function sweepStream(place: Place, incarnation: string, id: string): Promise<void> {
  const { streams, owners } = place.collections;
  const found = (await streams.findOne({ _id: id })) as Fields | null;
  if (found?.incarnation === incarnation) await owners.deleteOne({ _id: incarnation });
  else await dropIncarnation(place, incarnation);
}

async function sweepChunks(place: Place, owner: string, type: "record" | "append", id: string): Promise<void> {
  const isUsed = type === "record" ? await isUsedByRecord(place, owner, id) : await isUsedByStream(place, owner, id);
  const seen = { $set: { seenAtMs: place.clock.now() } };
  if (isUsed) await place.collections.owners.updateOne({ _id: owner }, seen);
  else await place.chunks.remove(owner);
}

async function isUsedByRecord({ collections }: Place, owner: string, id: string): Promise<boolean> {
  return ownerOf(await collections.records.findOne({ _id: id })) === owner;
}

async function isUsedByStream({ collections }: Place, owner: string, id: string): Promise<boolean> {
  const found = (await collections.streams.findOne({ _id: id })) as Fields | null;
  if (found === null) return false;
  if (ownerOf(found.last) === owner) return true;
  const copy = { _id: idsOfIncarnation(String(found.incarnation)), "chunks.owner": owner };
  return (await collections.appends.findOne(copy)) !== null;
}
