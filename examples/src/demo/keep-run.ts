import { randomUUID } from "node:crypto";
import { open, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { type AgentRun, type AgentState, isTinyAgentsError } from "@tinyagents/core";
import { readAgentState } from "@tinyagents/harness";
import { reasonOf } from "./folder.js";
import { UsageError } from "./usage-error.js";

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
  const text = await readFile(file, "utf8").catch((error) => {
    throw new UsageError(`--resume: ${file} cannot be read: ${reasonOf(error)}.`);
  });
  try {
    return readAgentState(text);
  } catch (error) {
    if (!isTinyAgentsError(error)) throw error;
    throw new UsageError(`--resume: ${file} holds no run that can go on: ${error.message}`);
  }
}

/** The run as far as it got, on an error that ended it. */
export function partialRun(error: unknown): AgentRun<unknown> | undefined {
  return (error as { readonly run?: AgentRun<unknown> } | null)?.run;
}
