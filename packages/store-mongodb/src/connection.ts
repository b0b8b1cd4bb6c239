import { passwordsIn } from "@tinyagents/core";
import { MongoClient, type MongoClientOptions } from "mongodb";
import type { MongodbDb } from "./driver.js";
import type { MongodbConnection } from "./options.js";

/** A database, and how to let go of it. */
export interface Connection {
  readonly db: MongodbDb;
  /** What must not be in errors: the URL may have a password. */
  readonly secrets: readonly string[];
  open(): Promise<void>;
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 10_000;

/** One client, which has one pool. It connects when it is opened. @throws `TypeError` for a URL that cannot be. */
export function ownConnection(
  { url, database, connectTimeoutMs = CONNECT_TIMEOUT_MS }: MongodbConnection,
  place: string,
): Connection {
  const client = clientOf(
    url,
    { serverSelectionTimeoutMS: connectTimeoutMs, connectTimeoutMS: connectTimeoutMs },
    place,
  );
  return {
    db: client.db(database),
    secrets: passwordsIn(url),
    async open() {
      await client.connect();
    },
    close: () => client.close(),
  };
}

/** The caller's, which is open and stays so. */
export function callersConnection(db: MongodbDb): Connection {
  return { db, secrets: [], async open() {}, async close() {} };
}

function clientOf(url: string, options: MongoClientOptions, place: string): MongoClient {
  try {
    return new MongoClient(url, options);
  } catch {
    // What the driver says may quote the URL.
    throw new TypeError(`${place}.url: a connection string that starts with mongodb:// or mongodb+srv:// is expected`);
  }
}
