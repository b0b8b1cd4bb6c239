import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { startPostgres } from "./postgres.js";
import { postgresBinaries } from "./postgres-install.js";

const missing = postgresBinaries() === undefined;
const NOTE = "no PostgreSQL is installed";

/** The folder of a private server, which its URL has for a host. */
function folderOf(url: string): string {
  return decodeURIComponent(/@([^/]+)\//.exec(url)?.[1] ?? "");
}

/** Whether somebody listens at the socket. */
function isListening(folder: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(`${folder}/.s.PGSQL.5432`);
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}

afterEach(() => {
  vi.unstubAllEnvs();
});

describe("startPostgres", () => {
  it("gives the server that POSTGRES_URL names, and leaves it running", async () => {
    vi.stubEnv("POSTGRES_URL", "postgresql://somewhere/db");
    const server = await startPostgres();
    expect(server).toMatchObject({ available: true, url: "postgresql://somewhere/db" });
    expect(server).not.toHaveProperty("crash");
    if (server.available) await server.stop();
  });

  it("starts a private server, and takes it and its data away", async ({ skip }) => {
    skip(missing, NOTE);
    vi.stubEnv("POSTGRES_URL", "");
    const server = await startPostgres();
    if (!server.available) throw new Error(server.reason);
    const folder = folderOf(server.url);
    expect(await isListening(folder)).toBe(true);
    await server.stop();
    await server.stop();
    expect(existsSync(folder)).toBe(false);
  });

  it("is there again on the same data after a crash", async ({ skip }) => {
    skip(missing, NOTE);
    vi.stubEnv("POSTGRES_URL", "");
    const server = await startPostgres({ durable: true });
    if (!server.available) throw new Error(server.reason);
    await server.crash?.();
    expect(await isListening(folderOf(server.url))).toBe(true);
    await server.stop();
    expect(existsSync(folderOf(server.url))).toBe(false);
  });

  it("says why a server does not start, and leaves nothing behind", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tinyagents-binaries-"));
    chmodSync(folder, 0o755);
    for (const name of ["initdb", "postgres"])
      writeFileSync(join(folder, name), "#!/bin/sh\necho no room >&2\nexit 1\n", { mode: 0o755 });
    vi.stubEnv("POSTGRES_URL", "");
    vi.stubEnv("PATH", `${folder}:${process.env.PATH}`);
    vi.stubEnv("TMPDIR", folder);
    const server = await startPostgres();
    expect(server).toMatchObject({ available: false, reason: expect.stringContaining("has ended: no room") });
    expect(readdirSync(folder).sort()).toEqual(["initdb", "postgres"]);
    rmSync(folder, { recursive: true });
  });
});

describe("postgresBinaries", () => {
  it("finds nothing where nothing is installed", () => {
    expect(postgresBinaries("/nowhere", "/nowhere")).toBeUndefined();
  });

  it("takes the newest of several versions", () => {
    const versions = mkdtempSync(join(tmpdir(), "tinyagents-versions-"));
    for (const version of ["9", "15", "16", "17"]) {
      mkdirSync(join(versions, version, "bin"), { recursive: true });
      writeFileSync(join(versions, version, "bin", "initdb"), "");
      if (version !== "17") writeFileSync(join(versions, version, "bin", "postgres"), "");
    }
    expect(postgresBinaries("/nowhere", versions)).toBe(join(versions, "16", "bin"));
    rmSync(versions, { recursive: true });
  });
});
