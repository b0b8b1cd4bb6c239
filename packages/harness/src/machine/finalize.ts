import { lastAnswer, outcomeOf, text } from "@tinyagents/core";
import type { Awaitable } from "../awaitable.js";
import type { LiveRun } from "../run/live-run.js";
import { applyEdits } from "./compact.js";
import { honour } from "./control.js";
import { rememberedThread, saveMemory } from "./memory.js";

/** Lets `afterAgent` hooks look, saves the thread's memory, and ends the run. */
export function finalize(run: LiveRun): Awaitable<void> {
  return run.definition.hooks.afterAgent === undefined ? save(run) : finalizeAfterHooks(run);
}

async function finalizeAfterHooks(run: LiveRun): Promise<void> {
  const after = await run.definition.hooks.afterAgent?.(run.scope);
  const control = after?.control;
  // The run is at its end already: a stop leaves its payload, and a jump there changes nothing.
  const atEnd = control?.type === "stop" || (control?.type === "jump" && control.to === "end");
  if (control?.type === "stop") await honour(run, control, "finalize");
  if (control !== undefined && !atEnd && (await honour(run, control, "finalize"))) return;
  await save(run);
}

function save(run: LiveRun): Awaitable<void> {
  const { state, definition } = run;
  if (state.edits.length > 0) applyEdits(run);
  const threadId = rememberedThread(state.config);
  if (threadId === undefined || definition.memory === undefined) return end(run);
  return saveMemory(run, threadId).then(() => end(run));
}

function end(run: LiveRun): void {
  const { state } = run;
  state.phase = "done";
  const answer = lastAnswer(state.messages, state.newFrom);
  run.event()?.("run.completed", {
    status: outcomeOf(state),
    ...(run.wantsPayloads ? { payload: { text: answer === undefined ? "" : text(answer) } } : {}),
  });
}
