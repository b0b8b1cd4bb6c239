import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ferretdbServer } from "./ferretdb-build.js";
import { startMongodb } from "./mongodb.js";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tinyagents-test-"));
  vi.stubEnv("MONGODB_URI", "");
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

/** A program on PATH, before all others or instead of them. */
function onPath(name: string, script: string, others = `:${process.env.PATH}`): void {
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, name), 0o755);
  vi.stubEnv("PATH", folder + others);
}

/** Go that notes each build, and builds a program that does not run. */
const FAKE_GO = (log: string): string => `
[ "$1" = env ] && { echo go1.30.1; exit; }
echo built >> ${log}; sleep 0.2; echo program > server`;

function isListening(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = createConnection(socket);
    connection.once("connect", () => resolve(true)).once("error", () => resolve(false));
    connection.once("connect", () => connection.destroy());
  });
}

describe("startMongodb", () => {
  it("gives the server that MONGODB_URI names, and leaves it running", async () => {
    vi.stubEnv("MONGODB_URI", "mongodb://somewhere/");
    const server = await startMongodb();
    expect(server).toMatchObject({ available: true, url: "mongodb://somewhere/" });
    if (server.available) await server.stop();
  });

  it("starts mongod where it is on PATH, with its data and its socket in a folder that goes with it", async () => {
    onPath("mongod", `echo "$@" > ${folder}/said; echo Waiting for connections; sleep 60 & wait`);
    const server = await startMongodb();
    if (!server.available) throw new Error(server.reason);
    const socket = decodeURIComponent(server.url.slice("mongodb://".length, -1));
    const data = join(socket, "..", "data");
    expect(readFileSync(join(folder, "said"), "utf8").trim()).toBe(`--dbpath ${data} --bind_ip ${socket}`);
    expect(existsSync(data)).toBe(true);
    await server.stop();
    expect(existsSync(data)).toBe(false);
  });

  it("says why there is none where mongod does not start, and leaves nothing behind", async () => {
    onPath("mongod", "echo no room; exit 1");
    vi.stubEnv("TMPDIR", folder);
    expect(await startMongodb()).toMatchObject({ available: false, reason: expect.stringContaining("no room") });
    expect(readdirSync(folder)).toEqual(["mongod"]);
  });

  it("says what is missing where there is neither mongod nor Go", async () => {
    vi.stubEnv("TINYAGENTS_CACHE", join(folder, "cache"));
    vi.stubEnv("PATH", folder);
    const reason = expect.stringContaining("there is no Go 1.24 or later on PATH to build FerretDB");
    expect(await startMongodb()).toEqual({ available: false, reason });
    expect(existsSync(join(folder, "cache"))).toBe(false);
  });

  it("starts FerretDB where it is in the cache, several at once, each reached through a socket of its own", async ({
    skip,
  }) => {
    const servers = [await startMongodb(), await startMongodb()];
    const sockets = servers.map((server) => {
      if (!server.available) return skip(server.reason);
      return decodeURIComponent(server.url.slice("mongodb://".length, -1));
    });
    expect(await Promise.all(sockets.map(isListening))).toEqual([true, true]);
    for (const server of servers) if (server.available) await server.stop();
    expect(sockets.filter((socket) => existsSync(join(socket, "..")))).toEqual([]);
  }, 900_000);
});

describe("ferretdbServer", () => {
  it("is built once by all who come at the same time, and kept", async () => {
    const log = join(folder, "log");
    onPath("go", FAKE_GO(log));
    const cache = join(folder, "cache");
    const built = await Promise.all([ferretdbServer(cache), ferretdbServer(cache), ferretdbServer(cache)]);
    expect(new Set(built).size).toBe(1);
    expect(readFileSync(built[0] as string, "utf8")).toBe("program\n");
    expect(readFileSync(log, "utf8")).toBe("built\n");
    expect(await ferretdbServer(cache)).toBe(built[0]);
    expect(readdirSync(cache)).toHaveLength(1);
  });

  it("takes away the lock of a process that is gone", async () => {
    const cache = join(folder, "cache");
    onPath("go", FAKE_GO(join(folder, "log")));
    const built = await ferretdbServer(cache);
    rmSync(built);
    writeFileSync(`${built}.lock`, "999999999");
    expect(await ferretdbServer(cache)).toBe(built);
  });

  it("says what Go said when it cannot be built, and leaves neither a lock nor half a program", async () => {
    onPath("go", '[ "$1" = env ] && { echo go1.30.1; exit; }\necho half > server; echo no network >&2; exit 1');
    const cache = join(folder, "cache");
    await expect(ferretdbServer(cache)).rejects.toThrow(/FerretDB cannot be built: .*no network/s);
    expect(readdirSync(cache)).toEqual([]);
  });

  it("says which Go is too old", async () => {
    onPath("go", "echo go1.21.3");
    await expect(ferretdbServer(join(folder, "cache"))).rejects.toThrow("there is go1.21.3, and no Go 1.24 or later");
  });
});
