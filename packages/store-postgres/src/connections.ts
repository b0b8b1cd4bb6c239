import pg from "pg";
import type { ListeningConnection } from "./listener.js";
import type { PostgresBackendOptions, PostgresConnectionOptions } from "./options.js";
import type { PostgresPool } from "./pool.js";

/** Where connections come from. */
export interface Connections {
  readonly pool: PostgresPool;
  /** One that nobody else uses. */
  listening(): Promise<ListeningConnection>;
  /** Closes what is ours. */
  end(): Promise<void>;
}

export function connectionsOf(options: PostgresBackendOptions): Connections {
  return options.pool === undefined ? own(options) : lentBy(options.pool);
}

function own({
  connectionString,
  maxConnections = 10,
  connectTimeoutMs = 10_000,
}: PostgresConnectionOptions): Connections {
  const config = {
    connectionString,
    // A connection that listens says nothing for long, and has to notice when its server is gone.
    keepAlive: true,
    fallback_application_name: "@tinyagents/store-postgres",
  };
  const connectionTimeoutMillis = connectTimeoutMs;
  // The pool's own time would go on while a call waits for its turn, and end it.
  const Client = class extends pg.Client {
    constructor(options?: pg.ClientConfig) {
      super({ ...options, connectionTimeoutMillis });
    }
  };
  const pool = new pg.Pool({ ...config, max: maxConnections, Client });
  // An idle connection was lost. The pool has let go of it, and opens another one when it is needed.
  pool.on("error", () => undefined);
  let ended: Promise<void> | undefined;
  return {
    pool,
    async listening() {
      const connection = new Client(config);
      connection.on("error", () => undefined);
      await connection.connect();
      return { connection, close: () => void connection.end().catch(() => undefined) };
    },
    end() {
      ended ??= pool.end();
      return ended;
    },
  };
}

function lentBy(pool: PostgresPool): Connections {
  return {
    pool,
    async listening() {
      const connection = await pool.connect();
      // It goes on listening, so nobody may have it after us.
      return { connection, close: () => connection.release(true) };
    },
    async end() {},
  };
}
