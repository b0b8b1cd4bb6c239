import { ownerOf } from "./chunks.js";
import type { Fields } from "./driver.js";
import { idOfKey, readFields, readText } from "./fields.js";
import type { Place } from "./place.js";
import { appendId, endOf, idsOfIncarnation, readStreamState, streamPlace } from "./stream-document.js";

/** Drops the records before an offset: nobody sees them from one moment on, and then they are taken away. */
export async function truncateStream(place: Place, stream: string, before: number): Promise<void> {
  const { streams, appends } = place.collections;
  const id = idOfKey([stream]);
  const found = await streams.findOne({ _id: id });
  if (found === null) return;
  const { incarnation, head, last } = readStreamState(found, id, streamPlace(stream));
  const start = Math.min(before, head);
  await streams.updateOne({ _id: id, incarnation, start: { $lt: start } }, { $set: { start } });
  if (start === 0) return;
  const dropped = { _id: { $gte: `${incarnation}/`, $lt: appendId(incarnation, start) } };
  const takeAway = async (): Promise<void> => {
    await removeChunks(place, dropped);
    await appends.deleteMany(dropped);
    if (endOf(last) <= start) await removeOwned(place, last);
  };
  // It is done whatever comes of this: the next truncate takes away what stays.
  await Promise.allSettled([takeAway()]);
}

/** Takes a stream away: nobody sees it from one moment on, and then what belongs to it goes. Whether there was one. */
export async function deleteStream(place: Place, stream: string): Promise<boolean> {
  const { streams, owners } = place.collections;
  const id = idOfKey([stream]);
  for (;;) {
    const found = await streams.findOne({ _id: id });
    if (found === null) return false;
    const incarnation = readText(
      readFields(found, streamPlace(stream)).incarnation,
      `${streamPlace(stream)}.incarnation`,
    );
    // Several may take it away at once.
    await owners.updateOne(
      { _id: incarnation },
      { $set: { type: "stream", place: id, seenAtMs: place.clock.now() } },
      { upsert: true },
    );
    const removed = (await streams.findOneAndDelete({ _id: id, incarnation }, {})) as Fields | null;
    // It is done whatever comes of this: it was noted before.
    await Promise.allSettled([removeOwned(place, removed?.last).then(() => dropIncarnation(place, incarnation))]);
    if (removed !== null) return true;
  }
}

/** Takes away what belongs to a stream that is gone. */
export async function dropIncarnation(place: Place, incarnation: string): Promise<void> {
  const { appends, keys, owners } = place.collections;
  const all = { _id: idsOfIncarnation(incarnation) };
  await removeChunks(place, all);
  await appends.deleteMany(all);
  await keys.deleteMany(all);
  await owners.deleteOne({ _id: incarnation });
}

async function removeOwned({ chunks }: Place, document: unknown): Promise<void> {
  const owner = ownerOf(document);
  if (owner !== undefined) await chunks.remove(owner);
}

/** Chunks go before the documents that lead to them: whoever is ended between finds the way again. */
async function removeChunks(place: Place, filter: object): Promise<void> {
  const { appends } = place.collections;
  const large = appends.find({ ...filter, chunks: { $exists: true } }, { projection: { chunks: 1 } });
  for await (const found of large) await removeOwned(place, found);
}
