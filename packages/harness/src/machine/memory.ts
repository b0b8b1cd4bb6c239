import {
  canonicalJson,
  isTinyAgentsError,
  type Message,
  messageOf,
  type RunConfig,
  readObject,
  readString,
  readThreadState,
  type SaveOptions,
  type ShortTermMemory,
  type ThreadSaver,
  type ThreadState,
  TinyAgentsError,
} from "@tinyagents/core";
import type { AgentDefinition } from "../definition.js";
import type { LiveRun } from "../run/live-run.js";
import { type LiveState, setOwn } from "../run/live-state.js";

/**
 * Loads what a thread remembers, and puts what middleware kept there into the run's state.
 * @returns the thread's messages; none for a thread that nobody has saved.
 * @throws `memory_failed`, and the memory's own typed errors.
 */
export async function loadMemory(run: LiveRun, threadId: string): Promise<readonly Message[]> {
  const { definition, state } = run;
  const loaded = await load(definition.memory, threadId, run.cancellation.signal);
  state.memoryVersion = loaded?.version ?? null;
  const messages = loaded?.state.messages ?? [];
  for (const [name, kept] of Object.entries(loaded?.state.middleware ?? {})) setOwn(state.middleware, name, kept);
  run.event()?.("memory.loaded", { messages: messages.length });
  if (run.shows("updates")) await showMemory(run, threadId, "loaded", messages.length);
  return messages;
}

/**
 * Saves a run's history, without its instructions, as what its thread remembers.
 * @throws `conflict` when another run has saved the thread since it was loaded; `memory_failed`; the reason of a
 * cancelled run.
 */
export async function saveMemory(run: LiveRun, threadId: string): Promise<void> {
  const { state, definition } = run;
  const { memory } = definition;
  if (memory === undefined) return;
  run.throwIfCancelled();
  const messages = state.messages.filter(({ role }) => role !== "system");
  const savedBy: ThreadSaver = { runId: state.config.runId, startedAtMs: state.startedAtMs };
  const thread: ThreadState = { v: 1, messages, middleware: state.middleware, savedBy };
  const options: SaveOptions = { ifVersion: state.memoryVersion, signal: run.cancellation.signal };
  let version: unknown;
  try {
    version = await saveOnce(memory, threadId, thread, options);
  } catch (error) {
    throw memoryError(threadId, "save", error);
  }
  if (typeof version !== "string") throw memoryFailed(threadId, "save", "it gave no version");
  state.memoryVersion = version;
  run.event()?.("memory.saved", { messages: messages.length });
  if (run.shows("updates")) await showMemory(run, threadId, "saved", messages.length);
}

/** The thread whose memory a run has: runs below another one remember nothing. */
export function rememberedThread({ depth, threadId }: RunConfig): string | undefined {
  return depth === 0 ? threadId : undefined;
}

/**
 * Refuses to go on with a run whose thread another run has saved since this one loaded it: what it does from here on
 * could not be saved. Asked before anything runs. A run that was at its end may have saved the thread itself, which
 * `saveMemory` finds out.
 * @throws `conflict`, `memory_failed`
 */
export async function refuseMovedThread({ memory }: AgentDefinition, state: LiveState): Promise<void> {
  const threadId = rememberedThread(state.config);
  const nothingLoaded = state.phase === "start" || state.resumeAt === "start";
  const atItsEnd = state.phase === "finalize" || state.resumeAt === "finalize";
  if (threadId === undefined || memory === undefined || nothingLoaded || atItsEnd) return;
  const there = (await load(memory, threadId))?.version ?? null;
  if (there === state.memoryVersion) return;
  const why =
    there === null
      ? "this memory has no such thread; is it the one that the run began with?"
      : "another run has saved it since this one loaded it. Start a new run on the thread";
  throw new TinyAgentsError("conflict", `The run cannot go on with thread "${threadId}": ${why}`, {
    details: { resource: `thread ${threadId}`, expected: state.memoryVersion, found: there },
  });
}

/**
 * Saves a thread. A run that was killed between saving and noting it comes here again: what is there was its own when its
 * name stands there, whatever the memory has made of it. A memory that keeps no names is told by what is in it.
 */
async function saveOnce(
  memory: ShortTermMemory,
  threadId: string,
  thread: ThreadState,
  options: SaveOptions,
): Promise<string> {
  try {
    return await memory.save(threadId, thread, options);
  } catch (error) {
    if (!isTinyAgentsError(error, "conflict")) throw error;
    const there = await load(memory, threadId, options.signal);
    if (there === undefined || !isOwn(there.state, thread)) throw error;
    return there.version;
  }
}

function isOwn({ savedBy, ...there }: ThreadState, { savedBy: own, ...thread }: ThreadState): boolean {
  if (savedBy === undefined) return canonicalJson(there) === canonicalJson(thread);
  return savedBy.runId === own?.runId && savedBy.startedAtMs === own.startedAtMs;
}

/** A thread's state, and its version. */
interface LoadedThread {
  readonly state: ThreadState;
  readonly version: string;
}

/**
 * Asks a memory for a thread. A memory is somebody else's: what it gives is looked at before it becomes history.
 * @throws `memory_failed` that says where what it gave is wrong, and the memory's own typed errors.
 */
async function load(
  memory: ShortTermMemory | undefined,
  threadId: string,
  signal?: AbortSignal,
): Promise<LoadedThread | undefined> {
  let loaded: unknown;
  try {
    loaded = await memory?.load(threadId, { signal });
  } catch (error) {
    throw memoryError(threadId, "load", error);
  }
  try {
    return loaded === undefined || loaded === null ? undefined : readThread(loaded);
  } catch (error) {
    throw isTinyAgentsError(error, "version_mismatch") ? error : memoryFailed(threadId, "load", error);
  }
}

/** @throws `corrupt_data`, `version_mismatch` */
function readThread(loaded: unknown): LoadedThread {
  const { state, version } = readObject(loaded, "what it gave");
  return { state: readThreadState(state, "state"), version: readString(version, "version") };
}

function memoryFailed(threadId: string, operation: "load" | "save", error: unknown): TinyAgentsError {
  const done = operation === "load" ? "loaded" : "saved";
  return new TinyAgentsError(
    "memory_failed",
    `The memory of thread "${threadId}" could not be ${done}: ${messageOf(error)}`,
    { details: { threadId, operation }, cause: error },
  );
}

/** The failure of a memory: one that has a code keeps it. */
function memoryError(threadId: string, operation: "load" | "save", error: unknown): TinyAgentsError {
  return isTinyAgentsError(error) ? error : memoryFailed(threadId, operation, error);
}

function showMemory(
  run: LiveRun,
  threadId: string,
  operation: "loaded" | "saved",
  messages: number,
): void | Promise<void> {
  return run.show?.({ type: "memory", runId: run.state.config.runId, operation, threadId, messages });
}
