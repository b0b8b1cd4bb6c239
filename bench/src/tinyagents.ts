import { type ChatModel, callbackSink, type ModelDelta, text, tool, type Usage } from "@tinyagents/core";
import { type Agent, createAgent } from "@tinyagents/harness";
import { z } from "zod";
import { type Contestant, nextCallId, PROMPT, runTool, SYSTEM, TOOL, turnAfter, type World, wait } from "./world.js";

const usage: Usage = { inputTokens: 1, outputTokens: 1, source: "reported" };

function modelOf(of: World): ChatModel {
  return {
    id: "bench/counter",
    profile: {
      provider: "bench",
      model: "counter",
      capabilities: { tools: "yes", streaming: "yes" },
      lifecycle: "active",
      source: "local",
    },
    async *stream({ messages }): AsyncGenerator<ModelDelta> {
      if (of.delayMs > 0) await wait(of.delayMs);
      for (let i = 0; i < of.fragments; i++) yield { type: "text", index: 0, text: "abcd " };
      if (of.fragments > 0) {
        yield { type: "finish", finishReason: "stop", usage };
        return;
      }
      const last = messages.at(-1);
      const turn = turnAfter(last?.role === "tool" ? text(last) : undefined);
      const goesOn = turn < of.turns;
      if (!goesOn) yield { type: "block", index: 0, block: { type: "text", text: `done:${turn}` } };
      for (let i = 0; goesOn && i < of.callsPerTurn; i++) {
        yield {
          type: "block",
          index: i,
          block: { type: "tool_call", id: nextCallId(), name: TOOL.name, args: { n: turn } },
        };
      }
      yield { type: "finish", finishReason: goesOn ? "tool_calls" : "stop", usage };
    },
  };
}

interface Made {
  readonly agent: Agent;
  events: number;
}

const agents = new WeakMap<World, Made>();

/** One agent per world, as an application has one per job. */
function agentOf(of: World): Made {
  const known = agents.get(of);
  if (known !== undefined) return known;
  const next = tool({
    ...TOOL,
    input: z.object({ n: z.number() }),
    policy: { effect: "read" },
    execute: async ({ n }) => runTool(of, n),
  });
  const made: Made = {
    events: 0,
    agent: createAgent({
      name: "bench",
      model: modelOf(of),
      system: SYSTEM,
      tools: [next],
      limits: { maxModelCalls: 1_000_000, maxToolCalls: 100_000_000 },
      events: callbackSink(() => made.events++),
    }),
  };
  agents.set(of, made);
  return made;
}

const signal = new AbortController().signal;

export const tinyagents: Contestant = {
  name: "tinyagents",
  async loop(of) {
    const made = agentOf(of);
    made.events = 0;
    const run = await made.agent.invoke(PROMPT, { signal });
    if (made.events < of.turns * 4) throw new Error("events were lost");
    return run.text;
  },
  async stream(of, onFirst) {
    let count = 0;
    for await (const item of agentOf(of).agent.stream(PROMPT, { modes: ["messages"], signal })) {
      if (item.type !== "text") continue;
      if (count === 0) onFirst();
      count++;
    }
    return count;
  },
};
