import { LEFT_BEHIND_MS, ownerOf } from "./chunks.js";
import type { Fields } from "./driver.js";
import { dropIncarnation } from "./log-cleaning.js";
import type { Place } from "./place.js";
import { idsOfIncarnation } from "./stream-document.js";

/** So much is cleaned up at once: opening takes a bounded time. */
const MOST_AT_ONCE = 100;

/** Takes away what was begun long ago and never ended: its process is gone. */
export async function sweep(place: Place): Promise<void> {
  const old = { atMs: { $lt: place.clock.now() - LEFT_BEHIND_MS } };
  const left = await place.collections.unfinished.find(old).limit(MOST_AT_ONCE).toArray();
  for (const found of left) {
    const { _id: id, type, place: at } = found as Fields;
    if (typeof id !== "string" || typeof at !== "string") continue;
    if (type === "stream") await sweepStream(place, id, at);
    else if (type === "record" || type === "append") await sweepChunks(place, id, type, at);
  }
}

async function sweepStream(place: Place, incarnation: string, id: string): Promise<void> {
  const { streams, unfinished } = place.collections;
  const found = (await streams.findOne({ _id: id })) as Fields | null;
  if (found?.incarnation === incarnation) await unfinished.deleteOne({ _id: incarnation });
  else await dropIncarnation(place, incarnation);
}

async function sweepChunks(place: Place, owner: string, type: "record" | "append", id: string): Promise<void> {
  const isUsed = type === "record" ? await isUsedByRecord(place, owner, id) : await isUsedByStream(place, owner, id);
  if (isUsed) await place.chunks.settle(owner);
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
