import type { ArtifactRecord } from "@tinyagents/core";
import {
  invalidArgument,
  readWholeNumber,
  type Store,
  type StoreCallOptions,
  type SweptArtifacts,
} from "@tinyagents/core";
import type { IndexedRecords } from "../indexed/indexed-records.js";
import type { ContentWatcher } from "./content-store.js";

/** Where the contents are, what is known of them, and how an entry is made of one. */
export interface SweptPlaces extends ContentWatcher {
  readonly content: Store;
  readonly records: IndexedRecords<ArtifactRecord>;
  idOf(key: readonly string[]): string;
}

/** How much is looked at in one step that nobody said a number for: contents may be large. */
const AT_ONCE = 20;

/** First all contents are looked at, then all entries: where a cursor is. */
const PHASES = ["content", "entries"] as const;

/** One step of a sweep. @throws `invalid_request` for a cursor that no sweep gave. */
export async function sweepArtifacts(
  places: SweptPlaces,
  cursor: string | undefined,
  limit: number | undefined,
  options: StoreCallOptions,
): Promise<SweptArtifacts> {
  const most = readWholeNumber(limit ?? AT_ONCE, 1, "limit");
  const [phase, after] = readSweepCursor(cursor);
  return phase === "content" ? indexContents(places, after, most, options) : dropEntries(places, after, most, options);
}

async function indexContents(
  places: SweptPlaces,
  cursor: string | undefined,
  limit: number,
  options: StoreCallOptions,
): Promise<SweptArtifacts> {
  const page = await places.content.list({ prefix: [], cursor, limit }, options);
  let indexed = 0;
  for (const { key, value, attributes, version, updatedAtMs } of page.items) {
    const before = await places.records.get(places.idOf(key), options);
    if (before?.record.version === version) continue;
    await places.stored({ key, value, attributes, version, atMs: updatedAtMs }, options);
    if ((await places.records.get(places.idOf(key), options)) !== undefined) indexed++;
  }
  return { indexed, dropped: 0, cursor: page.cursor === undefined ? "entries:" : `content:${page.cursor}` };
}

async function dropEntries(
  places: SweptPlaces,
  cursor: string | undefined,
  limit: number,
  options: StoreCallOptions,
): Promise<SweptArtifacts> {
  const page = await places.records.list("time", [], { cursor, limit }, options);
  let dropped = 0;
  for (const { record } of page.items) {
    if ((await places.content.get(record.key, options)) !== undefined) continue;
    await places.gone(record.key, options);
    dropped++;
  }
  const end = page.cursor === undefined ? {} : { cursor: `entries:${page.cursor}` };
  return { indexed: 0, dropped, ...end };
}

function readSweepCursor(cursor: string | undefined): readonly [phase: string, after: string | undefined] {
  if (cursor === undefined) return ["content", undefined];
  const phase = PHASES.find((name) => typeof cursor === "string" && cursor.startsWith(`${name}:`));
  if (phase === undefined) throw invalidArgument("cursor", "the cursor of an earlier sweep is expected");
  return [phase, cursor.slice(phase.length + 1) || undefined];
}
