import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { systemCodeOf } from "@tinyagents/core";

/** A folder that goes when it is needed no more. */
export interface TemporaryFolder {
  readonly path: string;
  remove(): Promise<void>;
}

let isSwept = false;

/**
 * A new, empty folder among the temporary files of the system: for a place, or what a check needs. Its name says whose it is.
 * A process that is killed leaves its folders behind, so the first call in a process takes those away whose process is gone.
 *
 * @param name what it is for, as part of its name.
 */
export function temporaryFolder(name: string): TemporaryFolder {
  if (!isSwept) sweepFolders(tmpdir());
  isSwept = true;
  const path = mkdtempSync(join(tmpdir(), `tinyagents-of-${machine()}-${process.pid}-${name}-`));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** Where process ids mean the same: a host, and a container on it. */
function machine(): string {
  return createHash("sha256").update(`${hostname()} ${processSpace()}`).digest("hex").slice(0, 8);
}

/**
 * Takes the folders of this machine's processes away that are gone. One whose process id was given to another process stays until
 * that is gone, too.
 */
export function sweepFolders(root: string): void {
  const here = machine();
  for (const entry of readdirSync(root, { withFileTypes: true })) {
    const [, where, pid] = /^tinyagents-of-([0-9a-f]{8})-(\d+)-/.exec(entry.name) ?? [];
    if (!entry.isDirectory() || where !== here || isRunning(Number(pid))) continue;
    try {
      rmSync(join(root, entry.name), { recursive: true, force: true });
    } catch {
      // It is another user's, or another process takes it away at this moment: who needs a new folder is not in need of that.
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Any other answer is about a process that is there, and is not ours.
    return systemCodeOf(error) !== "ESRCH";
  }
}

function processSpace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}
