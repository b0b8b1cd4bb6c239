import type { Clock } from "@tinyagents/core";
import type { CollectionOptions } from "./collections.js";
import type { MongodbDb } from "./driver.js";

/** What backends on a connection of their own and on the caller's have in common. */
export interface MongodbOptions extends CollectionOptions {
  /** Whether to make missing collections and indexes when it is opened. Default true. */
  readonly createIndexes?: boolean | undefined;
  /**
   * Whether batches are transactions, which replica sets and sharded clusters have. Default `auto`: where the server has them.
   * `capabilities.atomicBatch` tells.
   */
  readonly transactions?: "auto" | boolean | undefined;
  /** Values of more bytes are kept in several documents of this size. From 1,024 to 14,680,064 (14 MiB). Default 1,048,576. */
  readonly chunkBytes?: number | undefined;
  /** What `ttlMs` and `updatedAtMs` go by. Default: real time. */
  readonly clock?: Clock | undefined;
}

/** A connection of the backend's own, which `close` ends. */
export interface MongodbConnection {
  /** As the driver takes it: `mongodb://127.0.0.1:27017/?replicaSet=rs0`. */
  readonly url: string;
  readonly database: string;
  /** How long to wait for a server, ms. Default 10,000. */
  readonly connectTimeoutMs?: number | undefined;
  readonly db?: undefined;
}

/** A connection of the caller's, which stays open. */
export interface MongodbDatabase {
  readonly db: MongodbDb;
  readonly url?: undefined;
}

export type MongodbBackendOptions = MongodbOptions & (MongodbConnection | MongodbDatabase);

/** Options that are checked and have their defaults. */
export interface CheckedOptions {
  readonly createIndexes: boolean;
  readonly transactions: "auto" | boolean;
  readonly chunkBytes: number;
}

const LEAST_CHUNK = 1_024;
const MOST_CHUNK = 14 * 1024 * 1024;

/** @throws TypeError that names the option. */
export function readOptions(
  { createIndexes = true, transactions = "auto", chunkBytes = 1024 * 1024 }: MongodbOptions,
  factory: string,
): CheckedOptions {
  if (typeof createIndexes !== "boolean") throw new TypeError(`${factory}: createIndexes must be true or false`);
  if (transactions !== "auto" && typeof transactions !== "boolean")
    throw new TypeError(`${factory}: transactions must be "auto", true or false`);
  if (!Number.isInteger(chunkBytes) || chunkBytes < LEAST_CHUNK || chunkBytes > MOST_CHUNK)
    throw new TypeError(`${factory}: chunkBytes must be a whole number from ${LEAST_CHUNK} to ${MOST_CHUNK}`);
  return { createIndexes, transactions, chunkBytes };
}
