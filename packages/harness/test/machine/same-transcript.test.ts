import { type AgentRun, type AgentState, isEnd, readAgentState } from "@tinyagents/core";
import type { Agent } from "@tinyagents/harness";
import { testSurroundings } from "@tinyagents/testkit";
import { expect, it } from "vitest";
import { transcript } from "../support/transcript.js";
import { TWO_TOOL_TRANSCRIPT, twoToolAgent } from "../support/two-tools.js";

const QUESTION = "What do I wear in Oslo?";

async function streamed(agent: Agent): Promise<AgentRun> {
  let run: AgentRun | undefined;
  for await (const item of agent.stream(QUESTION)) if (item.type === "final") run = item.run as AgentRun;
  if (run === undefined) throw new Error("the stream had no final item");
  return run;
}

async function stepped(agent: Agent, between: (state: AgentState) => AgentState): Promise<AgentState> {
  let state = agent.initialState(QUESTION);
  while (!isEnd(state.phase)) state = between(await agent.step(state));
  return state;
}

it("asks a model, runs the tools it calls and asks again until it answers, through invoke (LOOP-01)", async () => {
  const ran: string[] = [];
  const run = await twoToolAgent(ran).invoke(QUESTION);
  expect(transcript(run.messages)).toEqual(TWO_TOOL_TRANSCRIPT);
  expect(ran).toEqual(["call_1", "call_2"]);
  expect(run).toMatchObject({ status: "completed", text: "It rains in Oslo: take a coat." });
  expect(run.counters).toMatchObject({ modelCalls: 3, toolCalls: 2 });
});

it("comes to the same transcript when it is streamed (LOOP-01)", async () => {
  const ran: string[] = [];
  const run = await streamed(twoToolAgent(ran));
  expect(transcript(run.messages)).toEqual(TWO_TOOL_TRANSCRIPT);
  expect(ran).toEqual(["call_1", "call_2"]);
});

it("comes to the same transcript when it runs in the background (LOOP-01)", async () => {
  const ran: string[] = [];
  const run = await twoToolAgent(ran).start(QUESTION).result;
  expect(transcript(run.messages)).toEqual(TWO_TOOL_TRANSCRIPT);
  expect(ran).toEqual(["call_1", "call_2"]);
});

it("comes to the same transcript when somebody drives it step by step (LOOP-14)", async () => {
  const ran: string[] = [];
  const state = await stepped(twoToolAgent(ran), (next) => next);
  expect(transcript(state.messages)).toEqual(TWO_TOOL_TRANSCRIPT);
  expect(ran).toEqual(["call_1", "call_2"]);
});

it("comes to the same transcript when the state is text between all steps and each step has a new agent (LOOP-14)", async () => {
  const ran: string[] = [];
  let state = twoToolAgent(ran).initialState(QUESTION);
  while (!isEnd(state.phase)) state = readAgentState(JSON.stringify(await twoToolAgent(ran).step(state)));
  expect(transcript(state.messages)).toEqual(TWO_TOOL_TRANSCRIPT);
  expect(ran).toEqual(["call_1", "call_2"]);
});

it("ends in the same state whoever drives it (LOOP-14)", async () => {
  const invoked = await twoToolAgent([], testSurroundings()).invoke(QUESTION, { runId: "run" });
  const handled = await twoToolAgent([], testSurroundings()).start(QUESTION, { runId: "run" }).result;
  const agent = twoToolAgent([], testSurroundings());
  let state = agent.initialState(QUESTION, { runId: "run" });
  while (!isEnd(state.phase)) state = await agent.step(state);
  expect(state).toEqual(invoked.state);
  expect(handled.state).toEqual(invoked.state);
});

it("goes through one phase a step, so that a driver can look at each (LOOP-14)", async () => {
  const phases: string[] = [];
  await stepped(twoToolAgent([]), (state) => {
    phases.push(state.phase);
    return state;
  });
  expect(phases).toEqual([
    "dispatch",
    "parse",
    "tools",
    "dispatch",
    "parse",
    "tools",
    "dispatch",
    "parse",
    "stop_check",
    "finalize",
    "done",
  ]);
});

it("lets a driver branch: two copies of one state go on without each other (LOOP-14)", async () => {
  const ran: string[] = [];
  const agent = twoToolAgent(ran);
  let state = agent.initialState(QUESTION);
  while (state.phase !== "tools") state = await agent.step(state);
  const text = JSON.stringify(state);
  const branches = await Promise.all(
    [readAgentState(text), readAgentState(text)].map((branch) => agent.resume(branch)),
  );
  for (const run of branches) expect(transcript(run.messages)).toEqual(TWO_TOOL_TRANSCRIPT);
  expect(ran.toSorted()).toEqual(["call_1", "call_1", "call_2", "call_2"]);
});

it("takes a state over: the driver goes on with what step gives back, and keeps nothing of what it gave (LOOP-14)", async () => {
  const agent = twoToolAgent([]);
  const given = agent.initialState(QUESTION);
  const kept = JSON.stringify(given);
  const next = await agent.step(given);
  expect(next).toBe(given);
  expect(JSON.stringify(given)).not.toBe(kept);
  const before = next.messages;
  const after = await agent.step(next);
  expect(after.messages).toBe(before);
});

it("leaves an ended state alone (LOOP-14)", async () => {
  const agent = twoToolAgent([]);
  const { state } = await agent.invoke(QUESTION);
  const text = JSON.stringify(state);
  expect(JSON.stringify(await agent.step(state))).toBe(text);
});
