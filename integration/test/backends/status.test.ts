import {
  type AgentEvent,
  type Clock,
  callbackSink,
  interrupt,
  manualClock,
  type RunStatusStore,
  tool,
} from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { recordedStatus, runRecorder, runStatusSink, runStatusStore } from "@tinyagents/persistence";
import { memoryAppendStore, memoryStore } from "@tinyagents/store-memory";
import { scriptedModel } from "@tinyagents/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { backends } from "./backends.js";
import { completed, event, note, resumed, started } from "./events.js";
import type { BackendPlace } from "./place.js";

const places: BackendPlace[] = [];
afterEach(async () => {
  for (const place of places.splice(0)) await place.remove();
});

describe.each(backends)("statuses of runs in $name (OBS-02, PF-03, SE-04, SE-06)", (backend) => {
  const test = it.skipIf(backend.skip !== undefined);

  async function opened() {
    const place = await backend.place();
    places.push(place);
    return { place, ...(await place.open()) };
  }

  test("are told by the events of a real run, and found by id, thread, tree and state", async () => {
    const { store, close } = await opened();
    const statuses = runStatusStore(store);
    const sink = runStatusSink(statuses, { intervalMs: 0 });
    const helper = createAgent({ name: "helper", model: scriptedModel(["Done."]) });
    const agent = createAgent({
      name: "lead",
      model: scriptedModel([{ toolCalls: [{ id: "c1", name: "helper", args: { task: "Help." } }] }, "Both done."]),
      tools: [helper.asTool({ description: "Helps." })],
      events: sink,
    });
    const run = await agent.invoke("Go.", { runId: "r1", threadId: "t1" });
    await sink.close();
    const found = await statuses.get("r1");
    expect(found?.status).toMatchObject({
      runId: "r1",
      rootRunId: "r1",
      threadId: "t1",
      component: "lead",
      state: "completed",
      phase: "done",
      outcome: "completed",
      counters: { children: 1, failedToolCalls: 0, resumes: 0 },
      activeCalls: [],
      usage: run.usage,
      model: { provider: "test" },
      lastSeq: run.state.seq,
    });
    const tree = await statuses.list({ rootRunId: "r1" });
    expect(tree.items.map(({ component, parentRunId }) => [component, parentRunId])).toEqual([
      ["lead", undefined],
      ["helper", "r1"],
    ]);
    expect((await statuses.list({ threadId: "t1" })).items).toEqual(tree.items);
    expect((await statuses.list({ states: ["completed"] })).items.length).toBe(2);
    expect((await statuses.list({ rootRunId: "r1", states: ["running", "paused"] })).items).toEqual([]);
    await close();
  });

  test("of runs that were accepted are there before they begin, for whoever recovers (DG-14)", async () => {
    const { place, store, close } = await opened();
    const { version } = await runStatusStore(store).accept({ runId: "r1", threadId: "t1", component: "lead" });
    await close();
    if (!backend.durable) return;
    const again = await place.open();
    const statuses = runStatusStore(again.store);
    const waiting = await statuses.list({ states: ["accepted"] });
    expect(waiting.items.map(({ runId, threadId }) => [runId, threadId])).toEqual([["r1", "t1"]]);
    const error = {
      name: "TinyAgentsError",
      code: "internal",
      message: "lost",
      retryable: false,
      details: { reason: "lost" },
    };
    const failed = { ...waiting.items[0]!, state: "failed", endedAtMs: 5, error } as const;
    await statuses.save(failed as never, { ifVersion: version });
    expect((await statuses.list({ states: ["accepted"] })).items).toEqual([]);
    expect((await statuses.get("r1"))?.status).toEqual(failed);
    await again.close();
  });

  test("are those of their run alone, whatever ids are made of", async () => {
    const { store, close } = await opened();
    const statuses = runStatusStore(store);
    const ids = ["r", "r/1", "*", "%", "__proto__", "constructor", "../r", "' OR 1=1", "\u0000", " ", "$gt", "\ud800"];
    for (const id of ids) await statuses.accept({ runId: id, threadId: `t${id}`, component: "c" });
    for (const id of ids) {
      expect((await statuses.get(id))?.status.runId).toBe(id);
      expect((await statuses.list({ threadId: `t${id}` })).items.map(({ runId }) => runId)).toEqual([id]);
      expect((await statuses.list({ rootRunId: id })).items.map(({ runId }) => runId)).toEqual([id]);
    }
    expect(await statuses.delete("*")).toBe(true);
    expect(await statuses.delete("*")).toBe(false);
    expect((await statuses.list({ states: ["accepted"] })).items.length).toBe(ids.length - 1);
    expect(Object.getPrototypeOf({})).toBe(Object.prototype);
    await close();
  });
});

describe("what cannot be asked of statuses (ST-03)", () => {
  const statuses = runStatusStore(memoryStore());

  it.each([
    [{ tenant: "a" }, "query.tenant"],
    [{ threadId: "t", rootRunId: "r" }, "leave one out"],
    [{ states: [] }, "query.states"],
    [{ states: ["done"] }, 'there is no state "done"'],
    [{ states: ["running", "paused"] }, "one state"],
    [{ threadId: "" }, "query.threadId"],
    [{ limit: 0 }, "limit"],
    [{ order: "newest" }, "order"],
    [{ cursor: "x" }, "cursor"],
  ])("is refused, and nothing is passed over: %o", async (query, said) => {
    await expect(statuses.list(query as never)).rejects.toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining(said),
    });
  });

  it("is refused when it is saved: an empty id, and what is no status", async () => {
    await expect(statuses.accept({ runId: "", component: "c" })).rejects.toMatchObject({ code: "invalid_request" });
    const { status } = await statuses.accept({ runId: "r", component: "c" });
    const wrong = { ...status, runId: "other", state: "gone" } as never;
    await expect(statuses.save(wrong, { ifVersion: null })).rejects.toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining("status.state"),
    });
    await expect(statuses.save({ ...status, attempt: 0 }, { ifVersion: null })).rejects.toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining("status.attempt"),
    });
    await expect(statuses.accept({ runId: "r", component: "c" })).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining('There is a run "r" already'),
      details: { resource: 'status of run "r"', expected: null },
    });
  });

  it("is a wrong prefix, at once", () => {
    expect(() => runStatusStore(memoryStore(), { prefix: [""] })).toThrow(TypeError);
    expect(() => runStatusSink(statuses, { intervalMs: -1 })).toThrow(TypeError);
    expect(() => runStatusSink(statuses, { heartbeatMs: 0 })).toThrow(TypeError);
  });
});

/** A store of statuses that counts its writes. */
function counted(inner: RunStatusStore) {
  const saved: string[] = [];
  const statuses: RunStatusStore = {
    ...inner,
    async save(status, options) {
      saved.push(status.phase);
      return inner.save(status, options);
    },
  };
  return { statuses, saved };
}

/** A store of statuses that can be gone for a while. */
function fragile(inner: RunStatusStore) {
  const store = { gone: false, tries: 0 };
  const unlessGone = <A extends readonly unknown[], R>(call: (...args: A) => Promise<R>) => {
    return async (...args: A): Promise<R> => {
      store.tries++;
      if (store.gone) throw new Error("gone");
      return call(...args);
    };
  };
  return { statuses: { ...inner, get: unlessGone(inner.get), save: unlessGone(inner.save) }, store };
}

/** A clock, and how many of its timers a process would stay alive for. */
function heldClock() {
  const clock = manualClock();
  const holding = new Set<object>();
  const setTimer: Clock["setTimer"] = (delayMs, callback, { keepAlive = true } = {}) => {
    const timer = {};
    if (keepAlive) holding.add(timer);
    const stop = clock.setTimer(delayMs, () => {
      holding.delete(timer);
      callback();
    });
    return () => {
      holding.delete(timer);
      stop();
    };
  };
  return { clock, watched: { ...clock, setTimer }, holding };
}

function toolStarted(seq: number, callId: string, attempt = 1): AgentEvent {
  return event(seq, "tool.started", { callId, tool: "t", modelCallId: "m", validation: "passed" }, { attempt });
}

function failed(seq: number): AgentEvent {
  const error = { name: "TinyAgentsError", code: "conflict", message: "", retryable: false, details: {} } as const;
  return event(seq, "run.failed", { error });
}

/** An agent whose one tool waits until it is let go. */
function waiting(sink: ReturnType<typeof runStatusSink>, clock = manualClock()) {
  let letGo = (): void => {};
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const wait = tool({
    name: "wait",
    description: "Waits.",
    input: { type: "object" },
    execute: async () => {
      await gate;
      return "waited";
    },
  });
  const model = scriptedModel([{ toolCalls: [{ id: "c1", name: "wait", args: {} }] }, "Done."]);
  const agent = createAgent({ name: "a", model, tools: [wait], events: sink, clock });
  return { agent, letGo };
}

describe("a sink of statuses (OBS-02)", () => {
  it("writes at once when the state changes, and else once per interval", async () => {
    const clock = manualClock();
    const { statuses, saved } = counted(runStatusStore(memoryStore()));
    const sink = runStatusSink(statuses, { clock });
    const { agent, letGo } = waiting(sink, clock);
    const running = agent.invoke("Go.", { runId: "r1" });
    await clock.advance(1);
    expect(saved).toEqual(["dispatch"]);
    await clock.advance(1_000);
    expect(saved).toEqual(["dispatch", "tools"]);
    letGo();
    await running;
    await clock.advance(0);
    expect(saved).toEqual(["dispatch", "tools", "done"]);
    expect(clock.timers).toBe(0);
  });

  it("shows the calls that are under way, and says now and then that a run that waits is still there", async () => {
    const clock = manualClock();
    const statuses = runStatusStore(memoryStore());
    const sink = runStatusSink(statuses, { clock });
    const { agent, letGo } = waiting(sink, clock);
    const running = agent.invoke("Go.", { runId: "r1" });
    await clock.advance(25_000);
    const { status } = (await statuses.get("r1"))!;
    expect(status).toMatchObject({ state: "running", phase: "tools", updatedAtMs: 21_000 });
    expect(status.activeCalls).toEqual([{ callId: "c1", type: "tool", name: "wait", startedAtMs: 0 }]);
    letGo();
    await running;
    await sink.close();
    expect((await statuses.get("r1"))?.status.activeCalls).toEqual([]);
    expect(clock.timers).toBe(0);
  });

  it("never holds a run up or fails it, tells what failed, and writes it once it can", async () => {
    const clock = manualClock();
    const store = memoryStore();
    let broken = true;
    const inner = runStatusStore(store);
    const refuse = async (): Promise<never> => {
      throw new Error("disk full");
    };
    const statuses: RunStatusStore = {
      ...inner,
      get: (runId) => (broken ? refuse() : inner.get(runId)),
      save: (status, options) => (broken ? refuse() : inner.save(status, options)),
    };
    const told: string[] = [];
    const sink = runStatusSink(statuses, {
      clock,
      onError: (_, runId) => {
        told.push(runId);
        throw new Error("the callback fails too");
      },
    });
    const run = await createAgent({ name: "a", model: scriptedModel(["Done."]), events: sink }).invoke("Go.", {
      runId: "r1",
    });
    expect(run.status).toBe("completed");
    await expect(sink.flush()).rejects.toThrow("disk full");
    expect(told).toContain("r1");
    broken = false;
    await clock.advance(30_000);
    expect((await inner.get("r1"))?.status).toMatchObject({ state: "completed", usage: run.usage });
  });

  it("writes the end of a run whose store was gone for half an hour, and holds no process meanwhile", async () => {
    const { clock, watched, holding } = heldClock();
    const inner = runStatusStore(memoryStore());
    const { statuses, store } = fragile(inner);
    const sink = runStatusSink(statuses, { clock: watched });
    store.gone = true;
    await createAgent({ name: "a", model: scriptedModel(["Done."]), events: sink }).invoke("Go.", { runId: "r1" });
    await clock.advance(1_800_000);
    expect([clock.timers, holding.size]).toEqual([1, 0]);
    expect(store.tries).toBeLessThan(50);
    store.gone = false;
    await clock.advance(60_000);
    expect((await inner.get("r1"))?.status.state).toBe("completed");
    expect(clock.timers).toBe(0);
  });

  it("gives up a write after a day, until it is flushed, which says whether it went", async () => {
    const clock = manualClock();
    const inner = runStatusStore(memoryStore());
    const { statuses, store } = fragile(inner);
    const sink = runStatusSink(statuses, { clock });
    store.gone = true;
    await createAgent({ name: "a", model: scriptedModel(["Done."]), events: sink }).invoke("Go.", { runId: "r1" });
    await clock.advance(86_300_000);
    expect(clock.timers).toBe(1);
    await clock.advance(200_000);
    expect(clock.timers).toBe(0);
    await expect(sink.flush()).rejects.toThrow("gone");
    expect(clock.timers).toBe(0);
    store.gone = false;
    await sink.flush();
    expect((await inner.get("r1"))?.status.state).toBe("completed");
  });

  it("holds the process for a write that is due, and not for a call that a run waits for", async () => {
    const { clock, watched, holding } = heldClock();
    const sink = runStatusSink(runStatusStore(memoryStore()), { clock: watched });
    const { agent, letGo } = waiting(sink);
    const running = agent.invoke("Go.", { runId: "r1" });
    await clock.advance(1);
    expect([clock.timers, holding.size]).toEqual([1, 1]);
    await clock.advance(1_000);
    expect([clock.timers, holding.size]).toEqual([1, 0]);
    letGo();
    await running;
    await sink.close();
  });

  it("goes on from what an earlier process has written of a run, and counts what it used before the crash", async () => {
    const store = memoryStore();
    const log = memoryAppendStore();
    const statuses = runStatusStore(store);
    const agentOf = (answers: Parameters<typeof scriptedModel>[0], events = runStatusSink(statuses)) => ({
      events,
      agent: createAgent({ name: "a", model: scriptedModel(answers), events, recorder: runRecorder(log) }),
    });
    const first = agentOf([{ error: { code: "provider_auth", message: "no key" } } as never]);
    await expect(first.agent.invoke("Go.", { runId: "r1" })).rejects.toThrow();
    await first.events.close();
    expect((await statuses.get("r1"))?.status).toMatchObject({ state: "failed", phase: "failed" });
    const second = agentOf(["Done."]);
    await second.agent.resume("r1");
    await second.events.close();
    const { status } = (await statuses.get("r1"))!;
    expect(status).toMatchObject({ state: "completed", counters: { resumes: 1 }, outcome: "completed" });
    expect(status).not.toHaveProperty("error");
    expect(status.usage.modelCalls).toBeGreaterThanOrEqual(1);
  });

  it("leaves the status of whoever has got further", async () => {
    const statuses = runStatusStore(memoryStore());
    const [one, other] = [runStatusSink(statuses), runStatusSink(statuses)];
    const events = callbackSink((event) => {
      if (event.seq <= 2) one.emit(event);
      other.emit(event);
    });
    await createAgent({ name: "a", model: scriptedModel(["Done."]), events }).invoke("Go.", { runId: "r1" });
    await other.flush();
    await one.close();
    expect((await statuses.get("r1"))?.status.state).toBe("completed");
    await other.close();
  });

  it.each([
    ["", 2, 3],
    [", also where nobody could tell attempts apart", 1, 1],
  ])("tells nothing of a run that goes on elsewhere, until it goes on here%s", async (_, elsewhereIn, hereIn) => {
    const clock = manualClock();
    const statuses = runStatusStore(memoryStore());
    const [here, elsewhere] = [runStatusSink(statuses, { clock }), runStatusSink(statuses, { clock })];
    const tell = async (sink: typeof here, ...events: readonly AgentEvent[]): Promise<void> => {
      for (const one of events) sink.emit(one);
      await sink.flush();
    };
    await tell(here, started(1), toolStarted(2, "c1"), toolStarted(3, "c2"));
    await tell(elsewhere, resumed(1, elsewhereIn), toolStarted(2, "c1", elsewhereIn));
    await tell(here, note(4), note(5));
    await tell(here, failed(6));
    expect((await statuses.get("r1"))?.status).toMatchObject({
      state: "running",
      lastSeq: 2,
      counters: { resumes: 1 },
    });
    await elsewhere.close();
    const left = await statuses.get("r1");
    await clock.advance(60_000);
    expect(await statuses.get("r1")).toEqual(left);
    await tell(here, { ...resumed(1, hereIn), timeMs: 70_000 }, completed(2, { attempt: hereIn }));
    expect((await statuses.get("r1"))?.status).toMatchObject({ state: "completed", counters: { resumes: 2 } });
    await here.close();
  });

  it("leaves the status of a later attempt, whatever an earlier one has told", async () => {
    const statuses = runStatusStore(memoryStore());
    const [later, earlier] = [runStatusSink(statuses), runStatusSink(statuses)];
    later.emit(started(1));
    await later.flush();
    for (const one of [resumed(1, 2), note(9, { attempt: 2 })]) earlier.emit(one);
    await earlier.close();
    for (const one of [resumed(1, 3), note(2, { attempt: 3 })]) later.emit(one);
    await later.close();
    expect((await statuses.get("r1"))?.status).toMatchObject({ attempt: 3, lastSeq: 2 });
  });

  it("ends the status of a run that was resumed where the clock is behind", async () => {
    const store = memoryStore();
    const log = memoryAppendStore();
    const statuses = runStatusStore(store);
    const moved = async (startMs: number, answers: Parameters<typeof scriptedModel>[0], go: "invoke" | "resume") => {
      const clock = manualClock({ startMs });
      const events = runStatusSink(statuses, { clock });
      const recorder = runRecorder(log, { clock });
      const agent = createAgent({ name: "a", model: scriptedModel(answers), events, recorder, clock });
      await (go === "invoke" ? agent.invoke("Go.", { runId: "r1" }) : agent.resume("r1")).catch(() => {});
      await events.close();
    };
    await moved(3_600_000, [{ error: { code: "provider_auth", message: "no key" } } as never], "invoke");
    await moved(1_000, ["Done."], "resume");
    expect((await statuses.get("r1"))?.status).toMatchObject({
      state: "completed",
      updatedAtMs: 1_000,
      endedAtMs: 1_000,
    });
  });

  it.each([
    ["done", ["Done."], { state: "completed", outcome: "completed" }],
    ["failed", [{ error: { code: "provider_auth", message: "hunter22" } }], { state: "failed", outcome: "failed" }],
    ["paused", [{ toolCalls: [{ id: "c1", name: "ask", args: {} }] }], { state: "paused", outcome: "paused" }],
  ] as const)(
    "is made whole by the recorder when the process was killed after the last step: %s (DG-14)",
    async (phase, answers, ends) => {
      const statuses = runStatusStore(memoryStore());
      const recorder = runRecorder(memoryAppendStore());
      const killed = runStatusSink(statuses);
      const ask = tool({
        name: "ask",
        description: "Asks.",
        input: { type: "object" },
        execute: () => interrupt("Which?"),
      });
      const events = callbackSink((event) => {
        if (event.seq <= 2) killed.emit(event);
      });
      const agent = createAgent({ name: "a", model: scriptedModel(answers as never), tools: [ask], recorder, events });
      const run = await agent.invoke("Go.", { runId: "r1" }).catch(() => undefined);
      await killed.close();
      const { status, version } = (await statuses.get("r1"))!;
      expect(status.state).toBe("running");
      const { state } = (await recorder.load("r1"))!;
      const mended = recordedStatus(status, state)!;
      expect(mended).toMatchObject({ ...ends, phase, activeCalls: [], lastSeq: state.seq });
      expect(mended.requests.length).toBe(run?.requests.length ?? 0);
      expect(JSON.stringify(mended)).not.toContain("hunter22");
      await statuses.save(mended, { ifVersion: version });
      expect(recordedStatus(mended, state)).toEqual(mended);
      const further = { ...status, lastSeq: state.seq + 5 };
      expect(recordedStatus(further, state)).toMatchObject({ ...ends, lastSeq: state.seq, counters: { resumes: 1 } });
      // It was taken up again without a word, or by somebody who was killed before anything was recorded.
      expect(recordedStatus(further, { ...state, attempt: 2 })).toMatchObject({
        ...ends,
        attempt: 2,
        lastSeq: state.seq,
      });
      expect(recordedStatus({ ...status, attempt: 3 }, state)).toMatchObject({ ...ends, attempt: 3 });
      expect(recordedStatus(status, { ...state, phase: "dispatch" })).toBeUndefined();
    },
  );

  it("keeps the words of an error only where it is asked to, and never a secret in them", async () => {
    const message = "The key sk-ant-REDACTED is wrong, hunter22.";
    const wordsOf = async (options: Parameters<typeof runStatusSink>[1]): Promise<string> => {
      const statuses = runStatusStore(memoryStore());
      const sink = runStatusSink(statuses, options);
      const agent = createAgent({
        name: "a",
        model: scriptedModel([
          () => {
            throw new Error(message);
          },
        ]),
        events: sink,
      });
      await expect(agent.invoke("Go.", { runId: "r1" })).rejects.toThrow();
      await sink.close();
      return JSON.stringify((await statuses.get("r1"))?.status.error);
    };
    expect(await wordsOf({})).not.toContain("hunter22");
    const kept = await wordsOf({ errorWords: true, secrets: ["hunter22"] });
    expect(kept).toContain("is wrong");
    expect(kept).not.toContain("hunter22");
  });

  it("can be taken away when it is damaged, and is not in the way of other statuses then (DG-04)", async () => {
    const store = memoryStore();
    const statuses = runStatusStore(store, { clock: manualClock({ startMs: 1_000 }) });
    for (const runId of ["r1", "r2"]) await statuses.accept({ runId, component: "a" });
    await store.put(["runs", "id", "r1"], { type: "json", value: { v: 1, runId: 7 } });
    await expect(statuses.list()).rejects.toMatchObject({ code: "corrupt_data" });
    expect(await statuses.delete("r1")).toBe(true);
    expect((await statuses.list()).items.map(({ runId }) => runId)).toEqual(["r2"]);
    expect(await statuses.delete("r1")).toBe(false);
  });
});
