import { isTinyAgentsError, messageOf, TinyAgentsError, text } from "@tinyagents/core";
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
  run.throwIfCancelled();
  const messages = state.messages.filter(({ role }) => role !== "system");
  try {
    const version = await definition.memory?.save(
      threadId,
      { v: 1, messages, middleware: state.middleware },
      { ifVersion: state.memoryVersion },
    );
    state.memoryVersion = version ?? null;
  } catch (error) {
    if (isTinyAgentsError(error)) throw error;
    throw new TinyAgentsError(
      "memory_failed",
      `The memory of thread "${threadId}" could not be saved: ${messageOf(error)}`,
      {
        details: { threadId, operation: "save" },
        cause: error,
      },
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
