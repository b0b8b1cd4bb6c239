import pg from "pg";
import type { PostgresPool, PostgresStatement } from "../../src/index.js";

/** A pool of an application's, which notes what it is asked. */
export interface WatchedPool extends PostgresPool {
  readonly seen: PostgresStatement[];
  readonly pool: pg.Pool;
  end(): Promise<void>;
}

export function watchedPool(connectionString: string, config: pg.PoolConfig = {}): WatchedPool {
  const pool = new pg.Pool({ connectionString, max: 4, ...config });
  pool.on("error", () => undefined);
  const seen: PostgresStatement[] = [];
  return {
    pool,
    seen,
    async connect() {
      const client = await pool.connect();
      return new Proxy(client, {
        get(target, name) {
          if (name === "query")
            return (statement: PostgresStatement) => {
              seen.push(statement);
              return target.query(statement as pg.QueryConfig);
            };
          const value: unknown = Reflect.get(target, name, target);
          return typeof value === "function" ? value.bind(target) : value;
        },
      });
    },
    end: () => pool.end(),
  };
}
