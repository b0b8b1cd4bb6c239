import { text } from "@tinyagents/core";
import type { LiveRun } from "../run/live-run.js";
import { lastAnswer, statusOf } from "../run/result.js";
import { applyEdits } from "./compact.js";
import { honour } from "./control.js";
import { saveMemory } from "./memory.js";

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
  if (threadId !== undefined && memory !== undefined) await saveMemory(run, threadId);
  state.phase = "done";
  const answer = lastAnswer(state.messages, state.newFrom);
  run.event()?.("run.completed", {
    status: statusOf(state),
    ...(run.wantsPayloads ? { payload: { text: answer === undefined ? "" : text(answer) } } : {}),
  });
}
