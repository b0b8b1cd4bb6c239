import { type ManualClock, manualClock } from "@tinyagents/core";
import { startPostgres } from "@tinyagents/testkit/servers";
import pg from "pg";
import { describe, it } from "vitest";
import { type PostgresBackend, type PostgresConnectionOptions, postgresBackend } from "../../src/index.js";

/** One server for all test files: they share this module. */
const server = await startPostgres();

/** Why tests that need a server are skipped; nothing where there is one. */
export const missing: string | undefined = server.available ? undefined : server.reason;

/** Tests that need the server. Without one they are skipped, and the reason is shown. */
export function withServer(title: string, tests: () => void): void {
  describe(title, missing === undefined ? tests : () => it("needs a server", ({ skip }) => skip(missing)));
}

/** The server that tests talk to. */
export const url: string = server.available ? server.url : "postgresql://nobody@localhost/nothing";

/** Connections of a test's own, to look behind a backend. */
export const admin: pg.Pool = new pg.Pool({ connectionString: url, max: 4, allowExitOnIdle: true });
admin.on("error", () => undefined);

let places = 0;

/** A schema of its own, and backends on it. */
export interface TestPlace {
  readonly schema: string;
  readonly clock: ManualClock;
  open(options?: Partial<PostgresConnectionOptions>): PostgresBackend;
  remove(): Promise<void>;
}

export function newPlace(): TestPlace {
  const schema = `place_${process.pid}_${++places}`;
  const clock = manualClock();
  return {
    schema,
    clock,
    open: (options) => postgresBackend({ connectionString: url, maxConnections: 4, schema, clock, ...options }),
    async remove() {
      await admin.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    },
  };
}
