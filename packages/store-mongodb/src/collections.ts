import type { MongodbCollection, MongodbDb } from "./driver.js";

export interface CollectionOptions {
  /** What the names of all collections start with. Letters, digits, `_` and `-`, 60 at most. Default `tinyagents_`. */
  readonly collectionPrefix?: string | undefined;
}

/** The collections of one place. */
export interface Collections {
  /** One document: which version of this schema the others have. */
  readonly schema: MongodbCollection;
  /** Keyed records. */
  readonly records: MongodbCollection;
  /** One document per stream: where it starts and ends, and its last append. */
  readonly streams: MongodbCollection;
  /** The appends before the last one of each stream. */
  readonly appends: MongodbCollection;
  /** The idempotency keys of those appends. */
  readonly keys: MongodbCollection;
  /** The pieces of what is too large for one document. */
  readonly chunks: MongodbCollection;
  /** Who has chunks, and which streams are being taken away: whoever opens a backend looks whether they still have, and are. */
  readonly owners: MongodbCollection;
}

const DEFAULT_PREFIX = "tinyagents_";

/**
 * What was acknowledged is on the disks of most servers, what was read stays so, and values come as they are expected
 * whatever the caller's connection has been told.
 */
const SETTINGS = {
  readPreference: "primary",
  readConcern: { level: "majority" },
  writeConcern: { w: "majority", journal: true },
  ignoreUndefined: false,
  promoteValues: true,
  promoteLongs: true,
  promoteBuffers: false,
  useBigInt64: false,
  raw: false,
} as const;

/** @throws `TypeError` for a prefix that cannot be. */
export function collectionsOf(
  db: MongodbDb,
  { collectionPrefix = DEFAULT_PREFIX }: CollectionOptions,
  place: string,
): Collections {
  if (!/^(?!system)[\w-]{1,60}$/.test(collectionPrefix))
    throw new TypeError(
      `${place}.collectionPrefix: 1 to 60 letters, digits, _ or - are expected, which do not start with system`,
    );
  const collection = (name: string): MongodbCollection => db.collection(collectionPrefix + name, SETTINGS);
  return {
    schema: collection("schema"),
    records: collection("records"),
    streams: collection("streams"),
    appends: collection("appends"),
    keys: collection("keys"),
    chunks: collection("chunks"),
    owners: collection("owners"),
  };
}
