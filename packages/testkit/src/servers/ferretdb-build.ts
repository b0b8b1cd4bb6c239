import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { messageOf } from "@tinyagents/core";
import { FERRETDB_MODULE, FERRETDB_PROGRAM, FERRETDB_VERSION } from "./ferretdb-program.js";

const run = promisify(execFile);

/** On two cores, with nothing fetched before, it takes five minutes. */
const BUILD_WITHIN_MS = 15 * 60_000;
const ASK_EVERY_MS = 500;
const LEAST_GO = [1, 24] as const;

/**
 * The program that serves FerretDB, built with Go on first use and kept in a cache: `TINYAGENTS_CACHE`, else
 * `~/.cache/tinyagents`. Whoever comes while it is being built waits.
 * @throws Error that says why there is none.
 */
export async function ferretdbServer(cache: string = cacheFolder()): Promise<string> {
  const built = join(cache, `ferretdb-v${FERRETDB_VERSION}-${revision()}`);
  if (existsSync(built)) return built;
  await checkGo();
  mkdirSync(cache, { recursive: true });
  const unlock = await lock(`${built}.lock`);
  try {
    if (!existsSync(built)) await build(cache, built);
  } finally {
    unlock();
  }
  return built;
}

function cacheFolder(): string {
  return process.env.TINYAGENTS_CACHE || join(homedir(), ".cache", "tinyagents");
}

/** Another program is another file: one that an older version has built is not taken for ours. */
function revision(): string {
  return createHash("sha256")
    .update(FERRETDB_MODULE + FERRETDB_PROGRAM)
    .digest("hex")
    .slice(0, 8);
}

async function checkGo(): Promise<void> {
  const wanted = `Go ${LEAST_GO.join(".")} or later on PATH to build FerretDB`;
  const version = await run("go", ["env", "GOVERSION"]).then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  );
  if (version === undefined) throw new Error(`there is no ${wanted}`);
  const [, major = 0, minor = 0] = (/^go(\d+)\.(\d+)/.exec(version) ?? []).map(Number);
  if (major < LEAST_GO[0] || (major === LEAST_GO[0] && minor < LEAST_GO[1]))
    throw new Error(`there is ${version}, and no ${wanted}`);
}

async function build(cache: string, built: string): Promise<void> {
  const folder = mkdtempSync(join(cache, "build-"));
  try {
    writeFileSync(join(folder, "go.mod"), FERRETDB_MODULE);
    writeFileSync(join(folder, "main.go"), FERRETDB_PROGRAM);
    const args = ["build", "-mod=mod", "-trimpath", "-tags=ferretdb_no_postgresql", "-o", "server", "."];
    await run("go", args, { cwd: folder, timeout: BUILD_WITHIN_MS, env: { ...process.env, GOWORK: "off" } });
    renameSync(join(folder, "server"), built);
  } catch (error) {
    throw new Error(`FerretDB cannot be built: ${messageOf(error)}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Waits until nobody else holds a lock. One whose holder is gone is taken away. */
async function lock(file: string): Promise<() => void> {
  for (;;) {
    try {
      writeFileSync(file, String(process.pid), { flag: "wx" });
      return () => rmSync(file, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    if (!isAlive(holderOf(file))) rmSync(file, { force: true });
    else await sleep(ASK_EVERY_MS);
  }
}

/** Nothing for a lock that its holder is just writing, or has just let go. */
function holderOf(file: string): number | undefined {
  try {
    return Number(readFileSync(file, "utf8")) || undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number | undefined): boolean {
  if (pid === undefined) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
