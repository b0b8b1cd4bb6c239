import {
  type AgentMachine,
  type AgentState,
  type ChatModel,
  type EventSink,
  interrupt,
  isEnd,
  type Middleware,
  type ModelDelta,
  sequentialIds,
  stop,
  TinyAgentsError,
  tool,
} from "@tinyagents/core";
import manifest from "@tinyagents/core/package.json" with { type: "json" };
import { z } from "zod";

/** A library of tools and other parts that was made with a core of its own. */
export const version: string = manifest.version;
export const ErrorClass = TinyAgentsError;
export const ids = sequentialIds();

export const lookUp = tool({
  name: "look_up",
  description: "Looks an order up.",
  input: z.object({ order: z.number().int() }),
  execute: ({ order }) => ({ order, state: "on its way" }),
});

export const refuse = tool({
  name: "refuse",
  description: "Always refuses.",
  input: z.object({}),
  execute: (): string => {
    throw new TinyAgentsError("tool_denied", "Not today.", { details: { tool: "refuse", reason: "not today" } });
  },
});

export const ask = tool({
  name: "ask",
  description: "Asks a person.",
  input: z.object({ question: z.string() }),
  execute: ({ question }, { resumed }) => resumed?.answers.answer ?? interrupt({ question }),
});

export const end = tool({
  name: "end",
  description: "Ends the run.",
  input: z.object({}),
  execute: () => stop({ ended: true }),
});

/** Fails once in a way that can pass, and then plays its turns. */
export function model(turns: readonly (readonly ModelDelta[])[]): ChatModel {
  let calls = 0;
  return {
    id: "toolbox/scripted",
    profile: { provider: "toolbox", model: "scripted", capabilities: {}, lifecycle: "active", source: "local" },
    async *stream() {
      const turn = turns[calls++ - 1];
      if (turn === undefined) throw new TinyAgentsError("network", "The line is down.", { details: {} });
      yield* turn;
    },
  };
}

export const seen: string[] = [];
export const watching: Middleware = {
  name: "watching",
  afterTool(result, call) {
    seen.push(`${call.name} ${result.status}`);
  },
};
export const sink: EventSink = {
  deltas: false,
  payloads: false,
  emit({ type }) {
    seen.push(type);
  },
};

/** Drives a machine that somebody else has made. */
export async function drive(machine: AgentMachine, input: string): Promise<AgentState> {
  let state = machine.initialState(input);
  while (!isEnd(state.phase)) state = await machine.step(state);
  return state;
}
