import {
  canonicalJson,
  isTinyAgentsError,
  messageOf,
  type ShortTermMemory,
  type ThreadState,
  TinyAgentsError,
  text,
} from "@tinyagents/core";
import type { LiveRun } from "../run/live-run.js";
import { lastAnswer, statusOf } from "../run/result.js";
import { applyEdits } from "./compact.js";
import { honour } from "./control.js";

/** Lets `afterAgent` hooks look, saves the thread's memory, and ends the run. */
export async function finalize(run: LiveRun): Promise<void> {
  const { state, definition } = run;
  const { hooks, memory } = definition;
  if (hooks.afterAgent !== undefined) {
    const { control } = await hooks.afterAgent(run.scope);
    // The run is at its end already: a stop leaves its payload, and a jump there changes nothing.
    const atEnd = control?.type === "stop" || (control?.type === "jump" && control.to === "end");
    if (control?.type === "stop") await honour(run, control, "finalize");
    if (control !== undefined && !atEnd && (await honour(run, control, "finalize"))) return;
  }
  if (state.edits.length > 0) applyEdits(run);
  const { threadId } = state.config;
  if (threadId !== undefined && memory !== undefined) await save(run, threadId);
  state.phase = "done";
  const answer = lastAnswer(state.messages, state.newFrom);
  run.event()?.("run.completed", {
    status: statusOf(state),
    ...(run.wantsPayloads ? { payload: { text: answer === undefined ? "" : text(answer) } } : {}),
  });
}

async function save(run: LiveRun, threadId: string): Promise<void> {
  const { state, definition } = run;
  const { memory } = definition;
  if (memory === undefined) return;
  run.throwIfCancelled();
  const messages = state.messages.filter(({ role }) => role !== "system");
  const thread: ThreadState = { v: 1, messages, middleware: state.middleware };
  try {
    state.memoryVersion = await saveOnce(memory, threadId, thread, state.memoryVersion);
  } catch (error) {
    if (isTinyAgentsError(error)) throw error;
    throw new TinyAgentsError(
      "memory_failed",
      `The memory of thread "${threadId}" could not be saved: ${messageOf(error)}`,
      { details: { threadId, operation: "save" }, cause: error },
    );
  }
  run.event()?.("memory.saved", { messages: messages.length });
  if (run.shows("updates")) {
    await run.show?.({
      type: "memory",
      runId: state.config.runId,
      operation: "saved",
      threadId,
      messages: messages.length,
    });
  }
}

/**
 * Saves a thread. A run that was killed between saving and noting it comes here again: when what is there is what it
 * would write, it was its own.
 */
async function saveOnce(
  memory: ShortTermMemory,
  threadId: string,
  thread: ThreadState,
  ifVersion: string | null,
): Promise<string> {
  try {
    return await memory.save(threadId, thread, { ifVersion });
  } catch (error) {
    if (!isTinyAgentsError(error, "conflict")) throw error;
    const there = await memory.load(threadId);
    if (there === undefined || canonicalJson(there.state) !== canonicalJson(thread)) throw error;
    return there.version;
  }
}
