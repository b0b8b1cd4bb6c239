import { readFileSync } from "node:fs";
import { type AgentState, type JsonObject, type JsonValue, readAgentState } from "@tinyagents/core";
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

/** The state in the middle of its first batch. */
function inBatch(): { [key: string]: JsonValue } {
  return structuredClone(states.find(({ phase }) => phase === "tools")) as { [key: string]: JsonValue };
}

/** A copy of a state with a value put at a path. */
function changed(path: string, value: JsonValue | undefined): JsonObject {
  const state = inBatch();
  const keys = path.split(".");
  const last = keys.pop() as string;
  let holder = state as { [key: string]: unknown };
  for (const key of keys) holder = holder[key] as typeof holder;
  if (value === undefined) delete holder[last];
  else holder[last] = value;
  return state;
}

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

  it("is copied when it is read: nobody else holds the result", () => {
    const stored = inBatch();
    const read = readAgentState(stored);
    expect(read).toEqual(stored);
    expect(read.messages).not.toBe(stored.messages);
  });

  it("of a later format is refused", () => {
    const thrown = (): AgentState => readAgentState({ ...inBatch(), v: 2 });
    expect(thrown).toThrow(
      expect.objectContaining({
        code: "version_mismatch",
        details: { place: "the run's state", expected: 1, found: 2 },
      }),
    );
  });

  it.each<[string, JsonValue | undefined]>([
    ["v", undefined],
    ["agent", 7],
    ["phase", "tool"],
    ["config", undefined],
    ["config.runId", null],
    ["config.tags", ["a", 1]],
    ["config.limits.maxToolCalls", -1],
    ["config.limits.maxConcurrency", 0],
    ["config.limits.wallClockMs", "soon"],
    ["messages", {}],
    ["messages.1.role", "robot"],
    ["messages.1.content", "text"],
    ["messages.1.content.0.text", undefined],
    ["messages.1.content.0.type", "smell"],
    ["messages.2.content.1.id", null],
    ["messages.2.content.1.args", []],
    ["newFrom", 99],
    ["counters.steps", null],
    ["usage.totalTokens", -1],
    ["usageByModel.0.model.id", undefined],
    ["cost", { amount: "much", currency: "USD", unpricedCalls: 0 }],
    ["middleware", []],
    ["lastResponse.finishReason", "tired"],
    ["batch", []],
    ["batch.calls.0.callId", "call_9"],
    ["batch.calls.0.result", {}],
    ["batch.calls.0.approvedArgsJson", "[1]"],
    ["edits", [{}]],
    ["limit", { limit: "patience", allowed: 1 }],
    ["finalizing", "yes"],
    ["output", { strategy: "guess" }],
    ["requests", [{ type: "approval" }]],
    ["resumeAt", "done"],
    ["error", "bad"],
  ])("with a wrong %s is refused, and the place is named", (path, value) => {
    const place = path.replaceAll(/\.(\d+)/g, "[$1]");
    try {
      readAgentState(changed(path, value));
    } catch (error) {
      expect(error).toMatchObject({ code: "corrupt_data" });
      expect((error as { details: { place: string } }).details.place).toContain(`the run's state.${place}`);
      return;
    }
    throw new Error("it was read");
  });

  it("with calls and results that do not belong together is refused", () => {
    const open = inBatch();
    expect(() => readAgentState({ ...open, batch: null, phase: "dispatch" })).toThrow(
      /unanswered_call for the tool call "call_1"/,
    );
    expect(() => readAgentState({ ...open, phase: "dispatch" })).toThrow(
      /the run's state\.messages\[2\]|the run's state\.batch/,
    );
    const short = inBatch();
    (short.batch as { calls: JsonValue[] }).calls = [];
    expect(() => readAgentState(short)).toThrow(/the history has 1 open calls/);
  });

  it("that is no JSON, or nothing, or that tries for a prototype is refused", () => {
    for (const bad of ["", "{", "null", "[]", '{"v":1,"__proto__":{"phase":"done"}}', undefined as unknown as string]) {
      expect(() => readAgentState(bad)).toThrow(expect.objectContaining({ code: "corrupt_data" }));
    }
    const cyclic: { [key: string]: unknown } = { ...inBatch() };
    cyclic.middleware = { me: cyclic };
    expect(() => readAgentState(cyclic as JsonObject)).toThrow(expect.objectContaining({ code: "corrupt_data" }));
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
