import {
  type Block,
  blocks,
  capabilityMissing,
  lackingMedia,
  type Message,
  messageOf,
  readBlocks,
  repairHistory,
  type SystemMessage,
  TinyAgentsError,
} from "@tinyagents/core";
import type { Awaitable } from "../awaitable.js";
import type { LiveRun } from "../run/live-run.js";
import { honour } from "./control.js";
import { loadMemory, rememberedThread } from "./memory.js";

/** Loads the thread's memory, puts instructions, memory and input in their order, and lets `beforeAgent` hooks look. */
export function start(run: LiveRun): Awaitable<void> {
  const { definition, state } = run;
  const threadId = rememberedThread(state.config);
  run.event()?.("run.started", {
    agent: definition.name,
    resumed: false,
    ...(run.wantsPayloads ? { payload: { messages: state.messages.slice() } } : {}),
  });
  const remembers = threadId !== undefined && definition.memory !== undefined;
  return remembers ? loadMemory(run, threadId).then((remembered) => begin(run, remembered)) : begin(run, []);
}

function begin(run: LiveRun, remembered: readonly Message[]): Awaitable<void> {
  arrange(run, systemMessageOf(run), remembered);
  refuseImpossibleInput(run);
  if (run.definition.hooks.beforeAgent !== undefined) return beginAfterHooks(run);
  run.state.phase = "dispatch";
}

async function beginAfterHooks(run: LiveRun): Promise<void> {
  const { state, definition } = run;
  const before = await definition.hooks.beforeAgent?.(run.scope);
  if (before?.control !== undefined && (await honour(run, before.control, "dispatch"))) return;
  state.phase = state.edits.length > 0 ? "compact" : "dispatch";
}

function systemMessageOf(run: LiveRun): SystemMessage | undefined {
  const { definition, state } = run;
  const { system, output } = definition;
  const said = typeof system === "function" ? system({ config: state.config, nowMs: run.clock.now() }) : system;
  const content = [...instructions(said ?? ""), ...blocks(output?.instructions ?? "")];
  return content.length === 0 ? undefined : { role: "system", content };
}

/** @throws `invalid_request` for what is neither a text nor content: it comes from a function of the application's. */
function instructions(said: unknown): readonly Block[] {
  if (typeof said === "string") return blocks(said);
  try {
    return readBlocks(said, "system");
  } catch (error) {
    const reason = `the agent's instructions are neither a text nor content. ${messageOf(error)}`;
    throw new TinyAgentsError("invalid_request", `The run cannot begin: ${reason}`, {
      details: { reason },
      cause: error,
    });
  }
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

/** What the only model certainly cannot take is refused before it is asked. */
function refuseImpossibleInput({ definition, state }: LiveRun): void {
  const { usual, alternatives } = definition.models;
  if (alternatives) return;
  const lacking = lackingMedia(usual.model.profile, state.messages);
  if (lacking.length > 0) throw capabilityMissing(usual.resolved.id, lacking);
}
