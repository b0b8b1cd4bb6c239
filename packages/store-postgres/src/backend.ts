import { createHash } from "node:crypto";
import {
  type AppendStore,
  passwordsIn,
  type StorageBackend,
  type Store,
  storeGate,
  storeKeyBytes,
  systemClock,
} from "@tinyagents/core";
import { appendStoreBehind } from "./append-store.js";
import { connectionsOf } from "./connections.js";
import { type Database, databaseOn, untilAborted } from "./database.js";
import { logListener } from "./listener.js";
import { logStatements } from "./log-statements.js";
import { type CheckedOptions, type PostgresBackendOptions, readOptions } from "./options.js";
import { recordStatements } from "./record-statements.js";
import { bringUpToDate, checkSchema } from "./schema.js";
import { storeBehind } from "./store.js";
import { toErrorFor } from "./to-error.js";

/** Keyed records and logs of one namespace in PostgreSQL, over one pool of connections. */
export interface PostgresBackend extends StorageBackend {
  readonly store: Store;
  readonly log: AppendStore;
}

/**
 * Connects on first use, and makes sure that the tables are there.
 * @throws `TypeError` for options that cannot be. `version_mismatch`, on use, for tables of a newer version of this package.
 */
export function postgresBackend(options: PostgresBackendOptions): PostgresBackend {
  const checked = readOptions(options);
  const { tables, namespace, follow, prepare } = checked;
  const connections = connectionsOf(options);
  const database = withTables(databaseOn(connections.pool), checked);
  const secrets = passwordsIn(options.connectionString ?? "");
  const gates = ["PostgreSQL store", "PostgreSQL log"].map((name) =>
    storeGate(name, { toError: toErrorFor(name, secrets) }),
  );
  const [storeGateway, logGateway] = gates as [ReturnType<typeof storeGate>, ReturnType<typeof storeGate>];

  const owner = storeKeyBytes([namespace]);
  const channel = `tinyagents_${digestOf(`${tables.schema}\0${tables.prefix}`)}`;
  const listener = follow ? logListener(channel, connections.listening) : undefined;
  const payloadOf = (stream: string): string => digestOf(JSON.stringify([namespace, stream]));
  return {
    store: storeBehind(storeGateway, {
      database,
      statements: recordStatements(tables, prepare),
      namespace,
      owner,
      clock: options.clock ?? systemClock,
    }),
    log: appendStoreBehind(
      logGateway,
      {
        database,
        statements: logStatements(tables, { prepare, notifies: follow }),
        at: (stream) => [owner, storeKeyBytes([stream])],
        ...(follow ? { notification: { channel, payloadOf } } : {}),
      },
      listener,
    ),
    async close() {
      await Promise.all(gates.map((gate) => gate.close()));
      listener?.close();
      await connections.end();
    },
  };
}

/** A database whose tables are looked at before the first use; when that fails, before the next. */
function withTables(database: Database, { tables, createSchema }: CheckedOptions): Database {
  let ready: Promise<void> | undefined;
  const prepareTables = (): Promise<void> => {
    ready ??= (createSchema ? bringUpToDate(database, tables) : checkSchema(database, tables)).catch(
      (error: unknown) => {
        ready = undefined;
        throw error;
      },
    );
    return ready;
  };
  return {
    async query(statement, values, signal) {
      await untilAborted(prepareTables(), signal);
      return database.query(statement, values, signal);
    },
    async transaction(signal, work) {
      await untilAborted(prepareTables(), signal);
      return database.transaction(signal, work);
    },
  };
}

/** A name for what may be of any length and have any characters. */
function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 40);
}
