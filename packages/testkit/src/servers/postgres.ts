import { chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { messageOf } from "@tinyagents/core";
import { type GuardedProcess, guardedProcess } from "./guarded-process.js";
import { postgresBinaries, unprivileged } from "./postgres-install.js";
import type { NoServer, TestServer } from "./test-server.js";

export interface StartPostgresOptions {
  /** Whether what is committed survives a crash of the machine. Default false, which is faster. */
  readonly durable?: boolean | undefined;
}

/** A PostgreSQL server for tests. */
export interface TestPostgres extends TestServer {
  /**
   * Ends the server at once, as if it had been killed, and starts it again on the same data. Absent for a server that
   * was not started here.
   */
  crash?(): Promise<void>;
}

const START_WITHIN_MS = 30_000;
const FAST = ["fsync=off", "synchronous_commit=off", "full_page_writes=off"];
const SETTINGS = ["listen_addresses=", "unix_socket_permissions=0777", "lc_messages=C", "logging_collector=off"];

/** One process for both: a cluster that is being made is guarded as the server is. */
const RUN = `
binaries=$1 data=$2; shift 2
[ -e "$data/PG_VERSION" ] ||
  "$binaries/initdb" -D "$data" -U postgres -A trust -E UTF8 --locale=C --no-sync >/dev/null || exit
exec "$binaries/postgres" -D "$data" "$@"
`;

/**
 * The server that `POSTGRES_URL` names, else a private one from the installed binaries: data in a temporary folder, reached
 * through a socket in it, run by somebody else when we are root.
 */
export async function startPostgres(options: StartPostgresOptions = {}): Promise<TestPostgres | NoServer> {
  const url = process.env.POSTGRES_URL;
  if (url !== undefined && url !== "") return { available: true, url, async stop() {} };
  const binaries = postgresBinaries();
  if (binaries === undefined) {
    const reason =
      "POSTGRES_URL is not set, and no PostgreSQL (initdb and postgres) is on PATH or in /usr/lib/postgresql";
    return { available: false, reason };
  }
  try {
    return await startCluster(binaries, mkdtempSync(join(tmpdir(), "tinyagents-postgres-")), options);
  } catch (error) {
    return { available: false, reason: `PostgreSQL in ${binaries} does not start: ${messageOf(error)}` };
  }
}

async function startCluster(
  binaries: string,
  folder: string,
  { durable = false }: StartPostgresOptions,
): Promise<TestPostgres> {
  const runAs = unprivileged();
  if (runAs !== undefined) chownSync(folder, runAs.uid, runAs.gid);
  const settings = [...SETTINGS, `unix_socket_directories=${folder}`, ...(durable ? [] : FAST)];
  const start = async (): Promise<GuardedProcess> => {
    const server = guardedProcess({
      command: "sh",
      args: ["-c", RUN, "sh", binaries, join(folder, "data"), ...settings.flatMap((setting) => ["-c", setting])],
      folder,
      // An immediate shutdown: it waits for no client, and what is not on disk is replayed from the log.
      signal: "QUIT",
      ...runAs,
    });
    try {
      await server.said("ready to accept connections", START_WITHIN_MS);
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  };
  let server = await start();
  return {
    available: true,
    url: `postgresql://postgres@${encodeURIComponent(folder)}/postgres`,
    stop: () => server.stop(),
    async crash() {
      const keep = join(folder, "keep");
      writeFileSync(keep, "");
      await server.stop();
      server = await start();
      rmSync(keep);
    },
  };
}
