import { readFileSync } from "node:fs";
import { type AgentState, type JsonObject, readAgentState } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { fakeTool, scriptedModel } from "@tinyagents/testkit";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { transcript } from "../support/transcript.js";
import { TWO_TOOL_TRANSCRIPT, twoToolAgent } from "../support/two-tools.js";
import { anyAgent, validStates } from "../support/valid-states.js";

const SAMPLE = readFileSync(new URL("../samples/agent-state.v1.json", import.meta.url), "utf8");

let states: readonly JsonObject[] = [];
beforeAll(async () => {
  states = await validStates();
});

describe("a stored state", () => {
  it("of format 1 is read, and its run goes on to its end", async () => {
    const ran: string[] = [];
    const state = readAgentState(SAMPLE);
    expect(state).toMatchObject({ v: 1, agent: "advisor", phase: "tools", config: { runId: "run-1", threadId: "t1" } });
    const run = await twoToolAgent(ran).resume(state);
    expect(transcript(run.messages)).toEqual(TWO_TOOL_TRANSCRIPT);
    expect(ran).toEqual(["call_1", "call_2"]);
  });

  it("survives JSON unchanged in every phase", async () => {
    expect(new Set(states.map(({ phase }) => phase))).toEqual(
      new Set(["start", "dispatch", "parse", "tools", "stop_check", "finalize", "done", "paused", "failed"]),
    );
    for (const state of states) expect(readAgentState(JSON.stringify(state))).toEqual(state);
  });
});

describe("a run that is resumed from a state", () => {
  it("is refused by another agent, and when it has ended", async () => {
    const other = createAgent({ name: "other", model: scriptedModel([]) });
    await expect(other.resume(readAgentState(SAMPLE))).rejects.toMatchObject({ code: "resume_mismatch" });
    const done = states.find(({ phase }) => phase === "done") as unknown as AgentState;
    await expect(anyAgent().resume(done)).rejects.toMatchObject({ code: "resume_mismatch" });
  });

  it("leaves the state that it was given alone: it reads its own copy", async () => {
    const state = readAgentState(SAMPLE);
    const text = JSON.stringify(state);
    await twoToolAgent([]).resume(state);
    expect(JSON.stringify(state)).toBe(text);
  });

  it("ends, though its agent has no structured answer any more that it was about to check", async () => {
    const model = scriptedModel([{ text: '{"n":1}' }]);
    const agent = createAgent({ name: "a", model, output: z.object({ n: z.number() }) });
    let state = agent.initialState("go");
    while (state.phase !== "validate") state = await agent.step(state);
    const run = await createAgent({ name: "a", model, tools: [fakeTool({ name: "x", input: z.object({}) })] }).resume(
      state,
    );
    expect(run).toMatchObject({ status: "completed", text: '{"n":1}' });
  });
});
