import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { open, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { type AgentState, isTinyAgentsError, readAgentState } from "@tinyagents/core";
import { readAtMost } from "./bounded-read.js";
import { reasonOf } from "./folder.js";
import { UsageError } from "./usage-error.js";

const MAX_RUN_MB = 64;
const MAX_RUN_BYTES = MAX_RUN_MB * 1024 * 1024;

/**
 * Makes sure, before anything is done, that a run can be kept in this file.
 * @throws UsageError
 */
export async function checkPlace(file: string): Promise<void> {
  const [folder, there] = await Promise.all([dirname(file), file].map((path) => stat(path).catch(() => undefined)));
  if (folder?.isDirectory() !== true) throw new UsageError(`--state: ${dirname(file)} is not a folder.`);
  if (there?.isDirectory() === true) throw new UsageError(`--state: ${file} is a folder, not a file.`);
}

/**
 * Writes a run's state, whole or not at all, for its owner alone: it holds what was read.
 * @throws Error of the file system.
 */
export async function keepRun(file: string, state: AgentState): Promise<void> {
  const draft = `${file}.${randomUUID()}.tmp`;
  try {
    const handle = await open(draft, "wx", 0o600);
    try {
      await handle.writeFile(`${JSON.stringify(state)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** @throws UsageError when the file cannot be read, or holds no run. */
export async function readRun(file: string): Promise<AgentState> {
  const text = await readRunText(file);
  try {
    return readAgentState(text);
  } catch (error) {
    if (!isTinyAgentsError(error)) throw error;
    throw new UsageError(`--resume: ${file} holds no run that can go on: ${error.message}`);
  }
}

async function readRunText(file: string): Promise<string> {
  const refused = (why: string): UsageError => new UsageError(`--resume: ${file} cannot be read: ${why}.`);
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK).catch((error) => {
    throw refused(reasonOf(error));
  });
  try {
    const about = await handle.stat();
    if (about.isDirectory()) throw refused("it is a folder");
    if (!about.isFile()) throw refused("it is not a regular file");
    const tooLarge = refused(`it has more than ${MAX_RUN_MB} MB`);
    if (about.size > MAX_RUN_BYTES) throw tooLarge;
    const bytes = await readAtMost(handle, MAX_RUN_BYTES);
    if (bytes.length > MAX_RUN_BYTES) throw tooLarge;
    return bytes.toString("utf8");
  } catch (error) {
    throw error instanceof UsageError ? error : refused(reasonOf(error));
  } finally {
    await handle.close();
  }
}

/** Removes the file of a run that was resumed and has ended. A file that cannot be removed does no harm. */
export async function dropRun(file: string): Promise<void> {
  await rm(file, { force: true }).catch(() => undefined);
}
