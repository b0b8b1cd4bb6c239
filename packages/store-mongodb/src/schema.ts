import { type JsonObject, readVersion } from "@tinyagents/core";
import { type CollectionOptions, type Collections, collectionsOf } from "./collections.js";
import { isDuplicate, isNotImplemented, type MongodbCollection, type MongodbDb } from "./driver.js";

/** Format of all documents. A newer one is refused. */
const VERSION = 1;

/** How long records stay after they have expired, s: for readers they are gone at once, and clocks differ. */
const REMOVE_AFTER_SECONDS = 3_600;

/**
 * Makes the collections and indexes of a backend, unless they are there. For those whose application may not make any: run
 * it with other rights, and open backends with `createIndexes: false`.
 *
 * A server without indexes that expire (FerretDB) gets none of those: expired records are gone for readers all the same.
 * @throws `version_mismatch` when a newer version of this package has made them; what the driver throws.
 */
export async function createMongodbIndexes(db: MongodbDb, options: CollectionOptions = {}): Promise<void> {
  await createIndexes(collectionsOf(db, options, "createMongodbIndexes: options"));
}

export async function createIndexes(collections: Collections): Promise<void> {
  await checkSchema(collections);
  const { schema, records, chunks, owners } = collections;
  // A selection by attribute is read in the order of keys.
  await records.createIndex({ attributes: 1, _id: 1 }, { name: "by_attribute" });
  await owners.createIndex({ seenAtMs: 1 }, { name: "by_age" });
  await removeExpired(records);
  await removeExpired(chunks);
  try {
    await schema.insertOne({ _id: "schema", v: VERSION });
  } catch (error) {
    if (!isDuplicate(error)) throw error;
  }
}

/** @throws `version_mismatch` when a newer version of this package wrote here. */
export async function checkSchema({ schema }: Collections): Promise<void> {
  const found = (await schema.findOne({ _id: "schema" })) as JsonObject | null;
  if (found !== null) readVersion(found, VERSION, "the schema of the MongoDB backend");
}

async function removeExpired(collection: MongodbCollection): Promise<void> {
  try {
    await collection.createIndex(
      { removeAt: 1 },
      { name: "expiry", expireAfterSeconds: REMOVE_AFTER_SECONDS, sparse: true },
    );
  } catch (error) {
    if (!isNotImplemented(error)) throw error;
  }
}
