import {
  type AppendStore,
  isTinyAgentsError,
  randomIds,
  type StorageBackend,
  type Store,
  storeGate,
  systemClock,
  TinyAgentsError,
} from "@tinyagents/core";
import { appendStoreBehind } from "./append-store.js";
import { Chunks } from "./chunks.js";
import { collectionsOf } from "./collections.js";
import { callersConnection, ownConnection } from "./connection.js";
import type { Fields, MongodbDb } from "./driver.js";
import { type MongodbBackendOptions, readOptions } from "./options.js";
import { checkSchema, createIndexes } from "./schema.js";
import { storeBehind } from "./store.js";
import { sweep } from "./sweep.js";
import { toError } from "./to-error.js";

/** Keyed records and logs in one MongoDB database, closed together. */
export interface MongodbBackend extends StorageBackend {
  readonly store: Store;
  readonly log: AppendStore;
}

/** How errors name the options. */
const PLACE = "mongodbBackend: options";

/**
 * Connects, makes the indexes that are missing, and gives both kinds of store. A connection of the backend's own is ended by
 * `close`, and at once when this fails; the caller's `db` stays as it is.
 *
 * @throws `TypeError` for options that cannot be; `store_failed` when the server cannot be reached or refuses;
 * `invalid_request` when `transactions: true` finds none; `version_mismatch` when a newer version of this package wrote here.
 */
export async function mongodbBackend(options: MongodbBackendOptions): Promise<MongodbBackend> {
  const checked = readOptions(options, PLACE);
  const { clock = systemClock } = options;
  const connection = options.db === undefined ? ownConnection(options, PLACE) : callersConnection(options.db);
  const { db, secrets } = connection;
  const collections = collectionsOf(db, options, PLACE);
  const ids = randomIds();
  const chunks = new Chunks(collections, checked.chunkBytes, ids, clock);
  const shared = { db, collections, chunks, chunkBytes: checked.chunkBytes, clock, ids };
  try {
    await connection.open();
    const transactions = await readTransactions(db, checked.transactions);
    await (checked.createIndexes ? createIndexes(collections) : checkSchema(collections));
    const place = { ...shared, transactions };
    await sweep(place);
    const gateOf = (name: string): ReturnType<typeof storeGate> =>
      storeGate(name, { toError: (error, operation) => toError(name, operation, error, secrets) });
    const [storeIsOpen, logIsOpen] = [gateOf("MongoDB store"), gateOf("MongoDB log")];
    let closing: Promise<void> | undefined;
    const close = async (): Promise<void> => {
      await Promise.all([storeIsOpen.close(), logIsOpen.close()]);
      await connection.close();
    };
    return {
      store: storeBehind(storeIsOpen, place),
      log: appendStoreBehind(logIsOpen, place),
      close() {
        closing ??= close();
        return closing;
      },
    };
  } catch (error) {
    await connection.close();
    throw isTinyAgentsError(error) ? error : toError("MongoDB backend", "open", error, secrets);
  }
}

/** Whether batches are transactions. */
async function readTransactions(db: MongodbDb, wanted: "auto" | boolean): Promise<boolean> {
  if (wanted === false) return false;
  const { setName, msg } = (await db.command({ hello: 1 })) as Fields;
  const hasThem = typeof setName === "string" || msg === "isdbgrid";
  if (hasThem || wanted === "auto") return hasThem;
  const reason = 'transactions: the server has none, since it is no replica set; use "auto" or false';
  throw new TinyAgentsError("invalid_request", reason, { details: { reason } });
}
