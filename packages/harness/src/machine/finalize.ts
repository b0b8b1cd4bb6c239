import { isTinyAgentsError, messageOf, TinyAgentsError, text } from "@tinyagents/core";
import type { LiveRun } from "../run/live-run.js";
import { lastAnswer, statusOf } from "../run/result.js";
import { honour } from "./control.js";

/** Lets `afterAgent` hooks look, saves the thread's memory, and ends the run. */
export async function finalize(run: LiveRun): Promise<void> {
  const { state, definition } = run;
  const { hooks, memory } = definition;
  if (hooks.afterAgent !== undefined) {
    const { control } = await hooks.afterAgent(run.scope);
    const goesOn =
      control?.type === "fail" || control?.type === "interrupt" || (control?.type === "jump" && control.to === "model");
    if (control !== undefined && goesOn && (await honour(run, control, "finalize"))) return;
  }
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
  if (run.showsUpdates) {
    await run.show?.({
      type: "memory",
      runId: state.config.runId,
      operation: "saved",
      threadId,
      messages: messages.length,
    });
  }
}
