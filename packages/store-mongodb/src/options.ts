import { type Clock, checkOptions, type FieldRule, optionRules } from "@tinyagents/core";
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
  readonly database?: undefined;
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

const RULES: { readonly [Option in keyof (MongodbOptions & MongodbConnection)]-?: FieldRule } = {
  url: optionRules.text,
  database: ['a name of 1 to 63 characters without / \\ . " $ * < > : | ? and spaces', isDatabaseName],
  connectTimeoutMs: ["a number of milliseconds above 0", (value) => Number.isFinite(value) && Number(value) > 0],
  db: ["a Db of the MongoDB driver", isDb],
  collectionPrefix: optionRules.text,
  createIndexes: optionRules.boolean,
  transactions: ['"auto", true or false', (value) => value === "auto" || typeof value === "boolean"],
  chunkBytes: [`a whole number from ${LEAST_CHUNK} to ${MOST_CHUNK}`, isChunkSize],
  clock: optionRules.clock,
};

/** @throws `TypeError` that names the option. */
export function readOptions(options: MongodbBackendOptions, place: string): CheckedOptions {
  checkOptions(options, RULES, place);
  if ((options.url === undefined) === (options.db === undefined))
    throw new TypeError(`${place}: either a url or a db is expected`);
  const { database, connectTimeoutMs } = options as Partial<MongodbConnection>;
  if (options.db !== undefined && (database !== undefined || connectTimeoutMs !== undefined))
    throw new TypeError(`${place}.db: a database and a connectTimeoutMs go with a url`);
  if (options.db === undefined && database === undefined)
    throw new TypeError(`${place}.database: ${RULES.database[0]} is expected`);
  const { createIndexes = true, transactions = "auto", chunkBytes = 1024 * 1024 } = options;
  return { createIndexes, transactions, chunkBytes };
}

function isDatabaseName(value: unknown): boolean {
  return typeof value === "string" && /^[^/\\. "$*<>:|?\0]{1,63}$/.test(value);
}

function isDb(value: unknown): boolean {
  const db = value as MongodbDb | null;
  return typeof db === "object" && typeof db?.collection === "function" && typeof db.command === "function";
}

function isChunkSize(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= LEAST_CHUNK && Number(value) <= MOST_CHUNK;
}
