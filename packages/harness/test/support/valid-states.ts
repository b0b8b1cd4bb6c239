import { type AgentState, askWhenResumed, type JsonObject } from "@tinyagents/core";
import { type Agent, createAgent } from "@tinyagents/harness";
import { fakeChatModel, fakeTool, scriptedModel, testSurroundings } from "@tinyagents/testkit";
import { z } from "zod";
import { failureOf } from "./failures.js";
import { threads } from "./threads.js";
import { twoToolAgent } from "./two-tools.js";

/** An agent that takes up any state of {@link validStates}: it has their tools and answers at once. */
export function anyAgent(): Agent {
  return createAgent({
    name: "advisor",
    model: fakeChatModel({ text: "Done.", usage: { inputTokens: 1, outputTokens: 1 } }),
    tools: [approved(), work()],
    memory: threads(),
    limits: { wallClockMs: 60_000 },
    ...testSurroundings(),
  });
}

function approved(): ReturnType<typeof fakeTool> {
  return fakeTool({
    name: "approved",
    input: z.object({ n: z.number() }),
    policy: { effect: "write", approval: "always" },
  });
}

function work(): ReturnType<typeof fakeTool> {
  return fakeTool({ name: "work", input: z.object({ n: z.number() }) });
}

/** States of runs in every phase, as JSON: between all steps of one run, paused, failed. */
export async function validStates(): Promise<readonly JsonObject[]> {
  const states: AgentState[] = [];
  const keep = (state: AgentState): void => void states.push(JSON.parse(JSON.stringify(state)));
  const agent = twoToolAgent([], { ...testSurroundings() });
  let state = agent.initialState("What do I wear in Oslo?", { threadId: "t1" });
  keep(state);
  while (state.phase !== "done") {
    state = await agent.step(state);
    keep(state);
  }
  const calls = [
    { name: "approved", args: { n: 1 } },
    { name: "work", args: { n: 2 } },
  ];
  const given = { name: "advisor", tools: [approved(), work()], ...testSurroundings() };
  const paused = await createAgent({
    ...given,
    model: scriptedModel([{ toolCalls: calls }]),
    approver: askWhenResumed,
  }).invoke("go");
  keep(paused.state);
  const limited = createAgent({ ...given, model: scriptedModel([{ toolCalls: calls }]), limits: { maxToolCalls: 1 } });
  keep((await failureOf(limited.invoke("go"))).run.state);
  return states as unknown as readonly JsonObject[];
}
