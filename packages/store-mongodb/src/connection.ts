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

/** One client, which has one pool. It connects when it is opened. @throws TypeError for a URL or name that cannot be. */
export function ownConnection(
  { url, database, connectTimeoutMs = CONNECT_TIMEOUT_MS }: MongodbConnection,
  factory: string,
): Connection {
  if (typeof url !== "string") throw new TypeError(`${factory}: url or db must be given`);
  if (typeof database !== "string" || !/^[^/\\. "$*<>:|?\0]{1,63}$/.test(database))
    throw new TypeError(
      `${factory}: database must be a name of 1 to 63 characters without / \\ . " $ * < > : | ? and spaces`,
    );
  if (!(Number.isFinite(connectTimeoutMs) && connectTimeoutMs > 0))
    throw new TypeError(`${factory}: connectTimeoutMs must be a number of milliseconds above 0`);
  const client = clientOf(
    url,
    { serverSelectionTimeoutMS: connectTimeoutMs, connectTimeoutMS: connectTimeoutMs },
    factory,
  );
  return {
    db: client.db(database),
    secrets: passwordsOf(url),
    async open() {
      await client.connect();
    },
    close: () => client.close(),
  };
}

/** The caller's, which is open and stays so. @throws TypeError for what is no `Db`. */
export function callersConnection(db: MongodbDb, factory: string): Connection {
  const isDb =
    typeof db === "object" && db !== null && typeof db.collection === "function" && typeof db.command === "function";
  if (!isDb) throw new TypeError(`${factory}: db must be a Db of the MongoDB driver`);
  return { db, secrets: [], async open() {}, async close() {} };
}

function clientOf(url: string, options: MongoClientOptions, factory: string): MongoClient {
  try {
    return new MongoClient(url, options);
  } catch {
    // What the driver says may quote the URL.
    throw new TypeError(`${factory}: url must be a connection string that starts with mongodb:// or mongodb+srv://`);
  }
}

/** The password of a connection string, as it is written there and as it is meant. */
function passwordsOf(url: string): readonly string[] {
  const written = /^[^/]*\/\/[^:@/]*:([^@/]*)@/.exec(url)?.[1];
  if (written === undefined || written === "") return [];
  try {
    return [written, decodeURIComponent(written)];
  } catch {
    return [written];
  }
}
