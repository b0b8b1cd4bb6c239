import { type AgentEvent, type AgentState, manualClock, sequentialIds, TinyAgentsError } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { eventRecorder, fakeTool, scriptedModel, seededRandom, testSurroundings } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { keptRuns } from "../support/kept-runs.js";
import { modelByHistory } from "../support/two-tools.js";

/** Arguments whose check needs nothing loaded: the clock stands still meanwhile. */
const NOTHING = z.looseObject({});

const network = () => new TinyAgentsError("network", "reset", { details: {} });

/** A run with a repeat, two tools beside each other, a wait and a mistake: everything that could come out otherwise. */
async function eventfulRun(): Promise<readonly AgentEvent[]> {
  const { clock, ...rest } = testSurroundings();
  const agent = createAgent({
    name: "a",
    model: scriptedModel([
      { text: "Let", error: network() },
      {
        toolCalls: [{ name: "slow" }, { name: "look" }, { name: "nothing" }],
        usage: { inputTokens: 7, outputTokens: 3 },
      },
      "done",
    ]),
    tools: [fakeTool({ name: "slow", input: NOTHING, delayMs: 50, clock }), fakeTool({ name: "look", input: NOTHING })],
    middleware: [{ name: "m", beforeModel: () => {}, wrapTool: (call, _context, next) => next(call) }],
  });
  const running = agent.invoke("Go.", { clock, ...rest, tags: ["t"] });
  await clock.advance(10_000);
  await running;
  return rest.events.events;
}

describe("with the same clock, ids and chance", () => {
  test("two runs give identical events (TST-07)", async () => {
    const events = await eventfulRun();
    expect(await eventfulRun()).toEqual(events);
    expect(events.length).toBeGreaterThan(15);
    expect(events[0]).toMatchObject({ id: "run-1/1", timeMs: 0 });
  });

  test("two runs end in identical states (TST-07)", async () => {
    const run = async () => {
      const agent = createAgent({ name: "a", model: scriptedModel(["hi"]) });
      return (await agent.invoke("Go.", testSurroundings())).state;
    };
    expect(await run()).toEqual(await run());
  });
});

describe("a run that goes on from a recorded state", () => {
  const script = [
    { text: "Let me look.", toolCalls: [{ name: "look" }], usage: { inputTokens: 7, outputTokens: 3 } },
    { text: "There is fog." },
  ];
  const agentOf = (split?: "characters") => {
    const model = modelByHistory(script);
    return createAgent({
      name: "a",
      model: split === undefined ? model : { ...scriptedModel(script.slice(1), { split }), id: model.id },
      tools: [fakeTool({ name: "look" })],
    });
  };
  const surroundings = () => ({ clock: manualClock(), ids: sequentialIds(), random: seededRandom(1) });

  test("gives the events that it had given, with the same ids, from every step (EVT-11)", async () => {
    const all = eventRecorder();
    const recorder = keptRuns();
    await agentOf().invoke("Go.", { ...surroundings(), runId: "r", events: all, recorder });
    const running = recorder.states.filter(({ phase }) => phase !== "done");
    expect(running.length).toBeGreaterThan(5);
    for (const recorded of running) {
      const again = eventRecorder();
      let state: AgentState = JSON.parse(JSON.stringify(recorded));
      while (state.phase !== "done") state = await agentOf().step(state, { ...surroundings(), events: again });
      expect(again.events).toEqual(all.events.filter(({ seq }) => seq > recorded.seq));
    }
  });

  test("keeps the ids of all other events when its answer comes in other fragments (EVT-11)", async () => {
    const idsOf = async (split?: "characters") => {
      const agent = agentOf();
      let state = agent.initialState("Go.", { runId: "r" });
      while (state.counters.toolCalls === 0) state = await agent.step(state, surroundings());
      const events = eventRecorder({ deltas: true });
      await agentOf(split).resume(state, { ...surroundings(), events });
      return {
        deltas: events.ofType("model.delta").map(({ id, seq }) => `${id} ${seq}`),
        others: events.events.filter(({ type }) => type !== "model.delta").map(({ id, type }) => `${id} ${type}`),
      };
    };
    const whole = await idsOf();
    const split = await idsOf("characters");
    expect(split.others).toEqual(whole.others);
    expect(split.deltas.length).toBeGreaterThan(whole.deltas.length);
    expect(new Set(split.deltas).size).toBe(split.deltas.length);
  });

  test("tells them in a higher attempt each time that it is resumed, under the same ids (EVT-11)", async () => {
    const recorder = keptRuns();
    const all = eventRecorder();
    await agentOf().invoke("Go.", { ...surroundings(), runId: "r", events: all, recorder });
    const from = JSON.parse(JSON.stringify(recorder.states[3])) as AgentState;
    const first = eventRecorder();
    const once = await agentOf().resume(from, { ...surroundings(), events: first });
    // Somebody else took the run up meanwhile, and did nothing with it.
    const kept = { ...keptRuns(), load: async () => ({ state: { ...from, attempt: 4 }, toolResults: new Map() }) };
    const second = eventRecorder();
    await agentOf().resume(from, { ...surroundings(), events: second, recorder: kept });
    const idsOf = ({ events }: typeof all) => events.filter(({ seq }) => seq > from.seq).map(({ id }) => id);
    expect(idsOf(first)).toEqual(idsOf(all));
    expect(idsOf(second)).toEqual(idsOf(all));
    const attempts = [all, first, second].map(({ events }) => [...new Set(events.map(({ attempt }) => attempt))]);
    expect(attempts).toEqual([[1], [2], [5]]);
    expect(once.state.attempt).toBe(2);
    expect(from.attempt).toBeUndefined();
  });

  test("begins a run below it that nobody has recorded in its own attempt (EVT-11)", async () => {
    const child = createAgent({ name: "child", model: scriptedModel(["fog", "fog"]) });
    const script = [{ toolCalls: [{ name: "child", args: { task: "Look." } }] }, { text: "done" }];
    const agent = createAgent({
      name: "a",
      model: modelByHistory(script),
      tools: [child.asTool({ description: "Looks." })],
    });
    let state = agent.initialState("Go.", { runId: "r" });
    while (state.phase !== "tools") state = await agent.step(state);
    const stored = JSON.stringify(state);
    const events = eventRecorder();
    await agent.step(state, { events });
    await agent.resume(JSON.parse(stored), { events });
    const told = events.ofRun("r/call_1").map(({ id, attempt }) => `${id} in ${attempt}`);
    expect(new Set(told).size).toBe(told.length);
    expect(told.filter((one) => one.startsWith("r/call_1/1 "))).toEqual(["r/call_1/1 in 1", "r/call_1/1 in 2"]);
  });

  test("numbers the fragments of a call anew when it is repeated, and no other event after them (EVT-11)", async () => {
    const idsOf = async (lost: string) => {
      const events = eventRecorder({ deltas: true });
      const model = scriptedModel([{ text: lost, error: network() }, "Fog."], { split: "characters" });
      const { clock, ...rest } = testSurroundings();
      const running = createAgent({ name: "a", model }).invoke("Go.", { ...rest, clock, runId: "r", events });
      await clock.advance(10_000);
      await running;
      const fragments = events.ofType("model.delta").map(({ id }) => id);
      expect(new Set(fragments).size).toBe(fragments.length);
      return {
        again: fragments.slice(fragments.findLastIndex((id) => id.endsWith(".1"))),
        others: events.events.filter(({ type }) => type !== "model.delta").map(({ id, type }) => `${id} ${type}`),
      };
    };
    expect(await idsOf("A")).toEqual(await idsOf("A long time ago"));
  });

  test("numbers its events from 1, without a gap, and never twice across a pause (EVT-11)", async () => {
    const events = eventRecorder();
    const agent = createAgent({
      name: "a",
      model: modelByHistory([{ toolCalls: [{ name: "pay" }] }, { text: "paid" }]),
      tools: [fakeTool({ name: "pay", policy: { approval: "always" } })],
      approver: { decide: () => "ask" },
      events,
    });
    const paused = await agent.invoke("Go.", { runId: "r" });
    await agent.resume(paused.state, { answers: { [paused.requests[0]?.id ?? ""]: { approve: true } } });
    const goesOn = events.events.filter((event) => event.type === "run.started" && event.data.resumed);
    const numbered = events.events.filter((event) => !goesOn.includes(event));
    expect(numbered.map(({ seq }) => seq)).toEqual(numbered.map((_, at) => at + 1));
    expect(numbered.map(({ id }) => id)).toEqual(numbered.map((_, at) => `r/${at + 1}`));
    expect(new Set(events.events.map(({ id }) => id)).size).toBe(events.events.length);
  });
});
