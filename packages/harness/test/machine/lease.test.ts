import { askWhenResumed, isTinyAgentsError, type LeasingRecorder, TinyAgentsError } from "@tinyagents/core";
import { type Agent, type AgentOptions, createAgent } from "@tinyagents/harness";
import { eventRecorder, fakeTool, hangingTool, scriptedModel, testSurroundings } from "@tinyagents/testkit";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { failureOf } from "../support/failures.js";
import { conflict, type LeasedRuns, leasedRuns } from "../support/leased-runs.js";
import { latch, quiet } from "../support/stubborn.js";
import { twoToolAgent } from "../support/two-tools.js";

const RUN = { runId: "r" };
const DOWN = new TinyAgentsError("store_failed", "down", { details: { store: "s", operation: "append" } });

/** An agent whose only call hangs until it is cancelled, with a recorder whose leases hold for 3 seconds. */
function hanging(recorder: LeasingRecorder, options: Partial<AgentOptions> = {}) {
  const around = testSurroundings();
  const slow = hangingTool({ name: "slow", input: z.object({}) });
  const model = scriptedModel([{ toolCalls: [{ name: "slow" }] }, "never"]);
  const agent = createAgent({ name: "a", model, tools: [slow], recorder, ...around, ...options });
  return { agent, slow, model, ...around };
}

/** An agent that needs a yes for its only call. */
function paying(recorder: LeasingRecorder, paid: unknown[]): Agent {
  const pay = fakeTool({ name: "pay", policy: { approval: "always" }, execute: (input) => void paid.push(input) });
  const script = [{ toolCalls: [{ name: "pay" }] }, "Paid."];
  return createAgent({
    name: "payer",
    model: scriptedModel(script),
    tools: [pay],
    recorder,
    approver: askWhenResumed,
  });
}

describe("a run whose recorder gives leases", () => {
  it("is claimed before anything is recorded, every write has its lease, and then it is released (LOOP-14)", async () => {
    const recorder = leasedRuns();
    await twoToolAgent([], { recorder }).invoke("go", RUN);
    const [first, ...others] = recorder.asked;
    expect(first).toBe("claim r");
    expect(others.slice(0, -1).filter((asked) => !/^(step|toolResult) r 1$/.test(asked))).toEqual([]);
    expect(others.at(-1)).toBe("release r 1");
    expect(recorder.owned).toEqual([]);
  });

  it("is claimed before it is loaded, so that what is loaded stays true (LOOP-14)", async () => {
    const recorder = leasedRuns();
    await killedAfterOneTool(recorder);
    const begin = recorder.asked.length;
    await twoToolAgent([]).resume("r", { recorder });
    expect(recorder.asked.slice(begin, begin + 3)).toEqual(["claim r", "load r", "renew r 1"]);
    expect(recorder.owned).toEqual([]);
  });

  it("tells nothing when somebody else has it before that is known (LOOP-14, EVT-11)", async () => {
    const recorder = leasedRuns();
    await killedAfterOneTool(recorder);
    const [ran, events] = [[] as string[], eventRecorder()];
    recorder.onRenew = () => recorder.takeAway("r");
    await expect(twoToolAgent(ran, { events }).resume("r", { recorder })).rejects.toMatchObject({ code: "conflict" });
    expect([ran, events.events]).toEqual([[], []]);
  });

  it("is not resumed while somebody else moves it: nothing runs, and nothing is recorded (LOOP-14)", async () => {
    const recorder = leasedRuns();
    const state = await killedAfterOneTool(recorder);
    recorder.takeAway("r");
    const [asked, ran] = [recorder.asked.length, [] as string[]];
    for (const run of ["r", state]) {
      await expect(twoToolAgent(ran).resume(run, { recorder })).rejects.toMatchObject({ code: "conflict" });
      const items = twoToolAgent(ran).resumeStream(run, { recorder });
      await expect(items.next()).rejects.toMatchObject({ code: "conflict" });
    }
    expect(ran).toEqual([]);
    expect(new Set(recorder.asked.slice(asked))).toEqual(new Set(["claim r"]));
    expect(recorder.owned).toEqual(["r"]);
  });

  it("is not begun under the id of one that somebody else moves", async () => {
    const recorder = leasedRuns();
    recorder.takeAway("r");
    const ran: string[] = [];
    await expect(twoToolAgent(ran, { recorder }).invoke("go", RUN)).rejects.toMatchObject({ code: "conflict" });
    expect([ran, recorder.states]).toEqual([[], []]);
  });

  it("ends with conflict at its first write after it was taken over, and says how far it got (DG-11)", async () => {
    const recorder = leasedRuns();
    const ran: string[] = [];
    const agent = twoToolAgent(ran, {
      recorder,
      middleware: [{ name: "thief", afterTool: () => recorder.takeAway("r") }],
    });
    const { error, run } = await failureOf(agent.invoke("go", RUN));
    expect(error.code).toBe("conflict");
    expect(ran).toEqual(["call_1"]);
    expect(run.runId).toBe("r");
    expect(recorder.states.at(-1)).toMatchObject({ phase: "tools", counters: { modelCalls: 1 } });
    expect(recorder.owned).toEqual(["r"]);
  });
});

/** A run of two tools of which one has run; its owner is gone, and so is its lease. */
async function killedAfterOneTool(recorder: LeasedRuns) {
  const agent = twoToolAgent([]);
  let state = agent.initialState("go", RUN);
  while (state.counters.toolCalls === 0) state = await agent.step(state, { recorder });
  return structuredClone(state);
}

describe("a run is released", () => {
  it("when it pauses, and claimed again when it goes on", async () => {
    const recorder = leasedRuns();
    const paid: unknown[] = [];
    const paused = await paying(recorder, paid).invoke("go", RUN);
    expect([paused.status, recorder.owned]).toEqual(["paused", []]);
    const answers = { [paused.requests[0]?.id ?? ""]: { approve: true } };
    await paying(recorder, paid).resume("r", { answers });
    expect([paid.length, recorder.owned]).toEqual([1, []]);
  });

  it("when it fails", async () => {
    const recorder = leasedRuns();
    await failureOf(createAgent({ name: "a", model: scriptedModel([{ error: DOWN }]), recorder }).invoke("go"));
    expect(recorder.owned).toEqual([]);
  });

  it("when it is cancelled", async () => {
    const recorder = leasedRuns();
    const { agent, slow } = hanging(recorder);
    const handle = agent.start("go", RUN);
    await slow.called();
    handle.cancel();
    await failureOf(handle.result);
    expect([recorder.states.at(-1)?.phase, recorder.owned]).toEqual(["failed", []]);
  });

  it("when its tool ignores that it was cancelled; what that gives later is not recorded", async () => {
    const recorder = leasedRuns();
    const late = latch<string>();
    const deaf = fakeTool({ name: "deaf", execute: () => late.promise });
    const { agent, clock } = hanging(recorder, {
      tools: [deaf],
      model: scriptedModel([{ toolCalls: [{ name: "deaf" }] }]),
    });
    const handle = agent.start("go", RUN);
    await deaf.called();
    handle.cancel();
    await clock.advance(2_000);
    await failureOf(handle.result);
    await quiet();
    expect(recorder.owned).toEqual([]);
    recorder.takeAway("r");
    late.resolve("late");
    await quiet();
    expect(recorder.results).toEqual([]);
  });

  it("when the reader of its stream leaves", async () => {
    const recorder = leasedRuns();
    for await (const item of twoToolAgent([], { recorder }).stream("go", RUN)) if (item.type === "tool_result") break;
    expect([recorder.results.length, recorder.owned]).toEqual([1, []]);
  });

  it("when the one who takes its items fails", async () => {
    const recorder = leasedRuns();
    const emit = () => Promise.reject(new Error("gone"));
    const failing = twoToolAgent([], { recorder }).invoke("go", { ...RUN, emit } as never);
    await expect(failing).rejects.toThrow("gone");
    expect(recorder.owned).toEqual([]);
  });

  it("when it is refused to be resumed like that", async () => {
    const recorder = leasedRuns();
    const paused = await paying(recorder, []).invoke("go", RUN);
    const refused = [
      () => paying(recorder, []).resume("r", { answers: { other: true } }),
      () => paying(recorder, []).resume(paused.state, { answers: { other: true } }),
      () => twoToolAgent([], { recorder }).resume("r"),
      () => paying(recorder, []).resume("nobody"),
    ];
    for (const resume of refused) await expect(resume()).rejects.toMatchObject({ code: "resume_mismatch" });
    expect(recorder.owned).toEqual([]);
  });

  it("as far as can be: a recorder that fails there changes nothing for the run", async () => {
    const recorder = { ...leasedRuns(), release: () => Promise.reject(DOWN) };
    expect((await twoToolAgent([], { recorder }).invoke("go")).status).toBe("completed");
  });
});

describe("the lease of a run that lives", () => {
  it("is renewed three times in the time for which it holds, on the run's one timer, which ends with it", async () => {
    const recorder = leasedRuns(3_000);
    const { agent, slow, clock } = hanging(recorder);
    const handle = agent.start("go", RUN);
    await slow.called();
    await clock.advance(9_000);
    expect(recorder.asked.filter((asked) => asked === "renew r 1")).toHaveLength(9);
    expect(clock.timers).toBe(1);
    handle.cancel();
    await failureOf(handle.result);
    expect(clock.timers).toBe(0);
  });

  it("is not renewed any more while it is released", async () => {
    const leased = leasedRuns(3_000);
    const released = latch();
    const recorder = { ...leased, release: () => released.promise };
    const { agent, clock } = hanging(recorder, { model: scriptedModel(["Hi."]) });
    const running = agent.invoke("go", RUN);
    while (leased.states.at(-1)?.phase !== "done") await quiet();
    await clock.advance(9_000);
    released.resolve();
    expect((await running).status).toBe("completed");
    expect(leased.asked.filter((asked) => asked.startsWith("renew"))).toEqual([]);
  });

  it("costs no timer where leases do not run out", async () => {
    const { agent, slow, clock } = hanging(leasedRuns(), { limits: { toolTimeoutMs: 600_000 } });
    const handle = agent.start("go", RUN);
    await slow.called();
    await clock.advance(599_999);
    expect(slow.aborted).toBe(0);
    handle.cancel();
    await failureOf(handle.result);
  });

  it("that somebody else has is found out by the next renewal: what is under way is cancelled (DG-11)", async () => {
    const recorder = leasedRuns(3_000);
    const { agent, slow, model, clock } = hanging(recorder);
    const failing = failureOf(agent.invoke("go", RUN));
    await slow.called();
    recorder.takeAway("r");
    await clock.advance(1_000);
    const { error, run } = await failing;
    expect(error.code).toBe("conflict");
    expect(run.counters.toolCalls).toBe(1);
    expect(slow.aborted).toBe(1);
    expect(model.calls).toHaveLength(1);
    expect(recorder.states.at(-1)?.phase).toBe("tools");
    expect(recorder.owned).toEqual(["r"]);
    expect(clock.timers).toBe(0);
  });

  it("outlives renewals that fail, as long as one comes through in time", async () => {
    const recorder = leasedRuns(3_000);
    let renewals = 0;
    recorder.onRenew = () => {
      if (++renewals % 2 === 1) throw DOWN;
    };
    const { agent, slow, clock } = hanging(recorder);
    const handle = agent.start("go", RUN);
    await slow.called();
    await clock.advance(30_000);
    expect([renewals, slow.aborted]).toEqual([30, 0]);
    handle.cancel();
    await failureOf(handle.result);
  });

  it.each([
    ["fails", () => Promise.reject(DOWN), "down"],
    ["does not answer", () => new Promise<void>(() => {}), "before the lease ran out"],
  ] as const)(
    "cannot be counted on when its renewal %s until it has run out: the run ends",
    async (_, onRenew, why) => {
      const recorder = leasedRuns(3_000);
      recorder.onRenew = onRenew;
      const { agent, slow, clock } = hanging(recorder);
      const failing = failureOf(agent.invoke("go", RUN));
      await slow.called();
      await clock.advance(2_999);
      expect(slow.aborted).toBe(0);
      await clock.advance(1);
      const { error } = await failing;
      expect(error).toMatchObject({ code: "store_failed", message: expect.stringContaining(why) });
      expect(slow.aborted).toBe(1);
    },
  );

  it("is asked for again by a process that was asleep for longer, and the run goes on when nobody took it", async () => {
    const recorder = leasedRuns(3_000);
    const { agent, slow, clock } = hanging(recorder);
    let [asleepMs, renewals] = [0, 0];
    recorder.onRenew = () => {
      if (++renewals === 1) throw DOWN;
    };
    const handle = agent.start("go", { ...RUN, clock: { ...clock, now: () => clock.now() + asleepMs } });
    await slow.called();
    await clock.advance(2_000);
    asleepMs = 60_000;
    await clock.advance(1_000);
    expect([renewals, slow.aborted]).toEqual([3, 0]);
    handle.cancel();
    await failureOf(handle.result);
  });
});

describe("a claim that does not answer", () => {
  it.each([
    ["its signal", (signal: AbortSignal) => ({ signal }), "cancelled"],
    ["its time", () => ({ limits: { wallClockMs: 1_000 } }), "limit_exceeded"],
  ] as const)("holds a new run no longer than %s, and is given back when it answers late", async (_, options, code) => {
    const recorder = leasedRuns(3_000);
    const answered = latch();
    const { agent, clock } = hanging({
      ...recorder,
      claim: (runId) => answered.promise.then(() => recorder.claim(runId)),
    });
    const controller = new AbortController();
    const failing = failureOf(agent.invoke("go", { ...RUN, ...options(controller.signal) }));
    await quiet();
    controller.abort();
    await clock.advance(1_000);
    await clock.advance(2_000);
    expect((await failing).error.code).toBe(code);
    answered.resolve();
    await quiet();
    expect([recorder.owned, clock.timers]).toEqual([[], 0]);
  });
});

describe("a recorder of somebody else that gives leases", () => {
  it("but takes none back is a TypeError", async () => {
    const { release: _, ...recorder } = leasedRuns();
    await expect(twoToolAgent([], { recorder: recorder as never }).invoke("go")).rejects.toThrow(/claim needs renew/);
  });

  it.each([
    [undefined, ""],
    [{ runId: "other", fence: 1 }, ".runId"],
    [{ runId: "r", fence: "1" }, ".fence"],
    [{ runId: "r", fence: 1, durationMs: 0 }, ".durationMs"],
    [{ runId: "r", fence: 1, durationMs: Number.NaN }, ".durationMs"],
  ])("is not believed when the lease is %j", async (lease, place) => {
    const recorder = { ...leasedRuns(), claim: async () => lease as never };
    const ran: string[] = [];
    await expect(twoToolAgent(ran, { recorder }).invoke("go", RUN)).rejects.toMatchObject({
      code: "corrupt_data",
      details: { place: `lease of run "r"${place}` },
    });
    expect(ran).toEqual([]);
  });

  it("fails with a code, whatever it throws", async () => {
    for (const thrown of [new Error("no"), conflict("r")]) {
      const recorder = { ...leasedRuns(), claim: () => Promise.reject(thrown) };
      const code = isTinyAgentsError(thrown) ? "conflict" : "store_failed";
      await expect(twoToolAgent([], { recorder }).invoke("go")).rejects.toMatchObject({ code });
    }
  });
});
