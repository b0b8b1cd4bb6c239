import { existsSync, mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { messageOf } from "@tinyagents/core";
import { ferretdbServer } from "./ferretdb-build.js";
import { type GuardedProcess, guardedProcess } from "./guarded-process.js";
import type { NoServer, TestServer } from "./test-server.js";

const START_WITHIN_MS = 30_000;

/** What to run, and what it says when it is ready. */
interface Server {
  readonly args: (folder: string) => readonly string[];
  readonly ready: string;
}

/**
 * The server that `MONGODB_URI` names, else a private one, with its data in a temporary folder and reached through a socket in it:
 * `mongod` on PATH, else FerretDB, which is built with Go on first use. That takes minutes.
 */
export async function startMongodb(): Promise<TestServer | NoServer> {
  const url = process.env.MONGODB_URI;
  if (url !== undefined && url !== "") return { available: true, url, async stop() {} };
  try {
    return await start(mongodOnPath() ?? ferretdb(await ferretdbServer()));
  } catch (error) {
    const reason = `MONGODB_URI is not set, and neither mongod nor FerretDB can be had: ${messageOf(error)}`;
    return { available: false, reason };
  }
}

async function start({ args, ready }: Server): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), "tinyagents-mongodb-"));
  mkdirSync(join(folder, "data"));
  // The shell puts what mongod says where a guarded process is listened to.
  const server: GuardedProcess = guardedProcess({
    command: "sh",
    args: ["-c", 'exec "$@" >&2', "sh", ...args(folder)],
    folder,
    // Nobody needs the data again.
    signal: "KILL",
  });
  try {
    await server.said(ready, START_WITHIN_MS);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return {
    available: true,
    url: `mongodb://${encodeURIComponent(socketIn(folder))}/`,
    stop: () => server.stop(),
  };
}

function socketIn(folder: string): string {
  return join(folder, "mongodb.sock");
}

function mongodOnPath(): Server | undefined {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const found = folders.map((folder) => join(folder, "mongod")).find((file) => existsSync(file));
  if (found === undefined) return undefined;
  return {
    args: (folder) => [found, "--dbpath", join(folder, "data"), "--bind_ip", socketIn(folder)],
    ready: "Waiting for connections",
  };
}

function ferretdb(program: string): Server {
  return { args: (folder) => [program, folder], ready: "ready to accept connections" };
}
