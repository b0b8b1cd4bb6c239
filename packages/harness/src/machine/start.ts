import {
  blocks,
  isTinyAgentsError,
  type Message,
  messageOf,
  repairHistory,
  type SystemMessage,
  support,
  type ThreadState,
  TinyAgentsError,
} from "@tinyagents/core";
import type { LiveRun } from "../run/live-run.js";
import { setOwn } from "../run/live-state.js";
import { honour } from "./control.js";

/** Loads the thread's memory, puts instructions, memory and input in their order, and lets `beforeAgent` hooks look. */
export async function start(run: LiveRun): Promise<void> {
  const { definition, state } = run;
  const { hooks, memory } = definition;
  const { threadId } = state.config;
  run.event()?.("run.started", {
    agent: definition.name,
    resumed: false,
    ...(run.wantsPayloads ? { payload: { messages: state.messages.slice() } } : {}),
  });
  const remembered = threadId !== undefined && memory !== undefined ? await load(run, threadId) : [];
  const system = systemMessageOf(run);
  arrange(run, system, remembered);
  refuseImpossibleInput(run);
  if (hooks.beforeAgent !== undefined) {
    const { control } = await hooks.beforeAgent(run.scope);
    if (control !== undefined && (await honour(run, control, "dispatch"))) return;
  }
  state.phase = state.edits.length > 0 ? "compact" : "dispatch";
}

async function load(run: LiveRun, threadId: string): Promise<readonly Message[]> {
  const { definition, state } = run;
  let loaded: { readonly state: ThreadState; readonly version: string } | undefined;
  try {
    loaded = await definition.memory?.load(threadId);
  } catch (error) {
    if (isTinyAgentsError(error)) throw error;
    throw new TinyAgentsError(
      "memory_failed",
      `The memory of thread "${threadId}" could not be loaded: ${messageOf(error)}`,
      {
        details: { threadId, operation: "load" },
        cause: error,
      },
    );
  }
  state.memoryVersion = loaded?.version ?? null;
  const messages = loaded?.state.messages ?? [];
  for (const [name, kept] of Object.entries(loaded?.state.middleware ?? {})) setOwn(state.middleware, name, kept);
  run.event()?.("memory.loaded", { messages: messages.length });
  if (run.shows("updates")) {
    await run.show?.({
      type: "memory",
      runId: state.config.runId,
      operation: "loaded",
      threadId,
      messages: messages.length,
    });
  }
  return messages;
}

function systemMessageOf(run: LiveRun): SystemMessage | undefined {
  const { definition, state } = run;
  const { system, output } = definition;
  const said = typeof system === "function" ? system({ config: state.config, nowMs: run.clock.now() }) : system;
  const content = [...blocks(said ?? ""), ...blocks(output?.instructions ?? "")];
  return content.length === 0 ? undefined : { role: "system", content };
}

/** Instructions, memory, input; mended, so that a damaged thread answers its next turn. */
function arrange(run: LiveRun, system: SystemMessage | undefined, remembered: readonly Message[]): void {
  const { state } = run;
  const given = repairHistory([...remembered, ...state.messages]);
  if (given.problems.length > 0) run.event()?.("history.repaired", { problems: given.problems });
  const input = state.messages.length;
  state.messages = system === undefined ? [...given.messages] : [system, ...given.messages];
  state.newFrom = given.problems.length > 0 ? newFromAfterRepair(state.messages, input) : state.messages.length - input;
}

/** A repair may have added or dropped messages: the new ones begin with the last user message. */
function newFromAfterRepair(messages: readonly Message[], input: number): number {
  const lastUser = messages.findLastIndex((message) => message.role === "user");
  return lastUser < 0 ? Math.max(0, messages.length - input) : lastUser;
}

/** What the model certainly cannot take is refused before it is asked. */
function refuseImpossibleInput(run: LiveRun): void {
  const { model, resolvedModel } = run.definition;
  for (const kind of ["image", "audio", "file"] as const) {
    if (support(model.profile, `${kind}_input`) !== "no") continue;
    const has = run.state.messages.some((message) => message.content.some((block) => block.type === kind));
    if (has) throw missing(resolvedModel.id, `${kind}_input`);
  }
}

/** @returns the error of a model that lacks what is needed. */
export function missing(model: string, ...capabilities: readonly string[]): TinyAgentsError<"capability_missing"> {
  return new TinyAgentsError(
    "capability_missing",
    `The model ${model} cannot do what this run needs (${capabilities.join(", ")}). Choose another model, or do without.`,
    { details: { model, capabilities } },
  );
}
