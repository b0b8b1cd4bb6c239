import { type Clock, type EventSink, type IdSource, manualClock, sequentialIds } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { eventRecorder, fakeTool, scriptedModel } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";

/** A clock that counts how often it is asked for the time: each event asks once. */
function countingClock(): Clock & { readonly asked: number } {
  const clock = manualClock();
  let asked = 0;
  return {
    ...clock,
    now: () => {
      asked++;
      return clock.now();
    },
    get asked() {
      return asked;
    },
  };
}

const script = [{ text: "Let me look.", toolCalls: [{ name: "look" }, { name: "look" }] }, "There is fog."];

function agentWith(events?: EventSink) {
  return createAgent({
    name: "a",
    model: scriptedModel(script),
    tools: [fakeTool({ name: "look", execute: async (_input, runtime) => runtime.progress({ at: 1 }) })],
    middleware: [{ name: "m", beforeModel: () => {}, wrapTool: (call, _context, next) => next(call) }],
    ...(events === undefined ? {} : { events }),
  });
}

describe("events of a run that nobody listens to", () => {
  test("are never made: the clock is asked once more for each event that somebody gets (MWH-06, OB-05)", async () => {
    const silent = countingClock();
    await agentWith().invoke("Go.", { clock: silent });
    const heard = countingClock();
    const events = eventRecorder({ payloads: false });
    const run = await agentWith(events).invoke("Go.", { clock: heard });
    const timed = events.events.filter(({ data }) => "elapsedMs" in data && !("tool" in data)).length;
    expect(heard.asked - silent.asked).toBe(events.events.length + timed);
    expect(run.state.seq).toBe(events.events.length);
  });

  test("take no ids: those of events are counted, whether or not anybody listens", async () => {
    const asked: string[] = [];
    const ids: IdSource = {
      next: (kind) => {
        asked.push(kind);
        return sequentialIds().next(kind);
      },
    };
    await agentWith(eventRecorder()).invoke("Go.", { ids, runId: "r" });
    expect(asked).toEqual([]);
  });

  test("advance the numbers all the same, so that a late listener gets those it would have had (EVT-11)", async () => {
    const all = eventRecorder();
    const listened = await agentWith(all).invoke("Go.", { runId: "r", clock: manualClock() });
    const silent = await agentWith().invoke("Go.", { runId: "r", clock: manualClock() });
    expect(silent.state).toEqual(listened.state);
    const late = eventRecorder();
    const agent = agentWith();
    let state = agent.initialState("Go.", { runId: "r" });
    while (state.phase !== "tools") state = await agent.step(state, { clock: manualClock() });
    while (state.phase !== "done") state = await agent.step(state, { clock: manualClock(), events: late });
    expect(late.events).toEqual(all.events.slice(-late.events.length));
    expect(late.events.length).toBeGreaterThan(5);
  });

  test("of a run in the background without observers are never made either", async () => {
    const clock = countingClock();
    const silent = countingClock();
    await agentWith().start("Go.", { clock }).result;
    await agentWith().invoke("Go.", { clock: silent });
    expect(clock.asked).toBe(silent.asked);
  });
});
