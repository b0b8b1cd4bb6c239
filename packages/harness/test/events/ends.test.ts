import { type AgentEvent, type AgentRun, type JsonValue, TinyAgentsError } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import {
  eventRecorder,
  fakeTool,
  flakyTool,
  hangingTool,
  type ScriptEntry,
  scriptedModel,
  testSurroundings,
} from "@tinyagents/testkit";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { endProblems } from "../support/end-problems.js";
import { failureOf } from "../support/failures.js";
import { keptRuns } from "../support/kept-runs.js";

/** Arguments whose check needs nothing loaded: the clock stands still meanwhile. */
const NOTHING = z.looseObject({});

const callsOf = (events: readonly AgentEvent[]) =>
  events.flatMap(({ type, data }) =>
    type === "tool.completed" || type === "tool.failed" ? [`${type} ${(data as { callId: string }).callId}`] : [],
  );

describe("every start has exactly one end", () => {
  test("when a model throws something that is no error of ours (EVT-03)", async () => {
    const events = eventRecorder();
    const model = scriptedModel([
      () => {
        throw new Error("wires crossed");
      },
    ]);
    await failureOf(createAgent({ name: "a", model, events }).invoke("Go."));
    expect(endProblems(events.events)).toEqual([]);
    expect(events.ofType("model.failed")[0]?.data.error.code).toBe("internal");
  });

  test("when a hook after the call fails (EVT-03)", async () => {
    const events = eventRecorder();
    const middleware = [{ name: "m", afterModel: () => Promise.reject(new Error("x")) }];
    await failureOf(createAgent({ name: "a", model: scriptedModel(["hi"]), events, middleware }).invoke("Go."));
    expect(endProblems(events.events)).toEqual([]);
    expect(events.ofType("model.failed")).toHaveLength(1);
  });

  test("when prices cannot be read (EVT-03)", async () => {
    const events = eventRecorder();
    const prices = {
      priceOf: () => {
        throw new Error("no table");
      },
    };
    await failureOf(createAgent({ name: "a", model: scriptedModel(["hi"]), events, prices }).invoke("Go."));
    expect(endProblems(events.events)).toEqual([]);
  });

  test("when a run is cancelled while tools run and others wait for their turn (EVT-02, EVT-04)", async () => {
    const { clock, events } = testSurroundings();
    const hanging = hangingTool({ name: "hang", input: NOTHING });
    const model = scriptedModel([{ toolCalls: [{ name: "hang" }, { name: "hang" }, { name: "look" }] }]);
    const agent = createAgent({
      name: "a",
      model,
      tools: [hanging, fakeTool({ name: "look", input: NOTHING })],
      limits: { maxConcurrency: 1 },
      events,
    });
    const controller = new AbortController();
    const running = failureOf(agent.invoke("Go.", { clock, signal: controller.signal }));
    await hanging.called();
    controller.abort();
    await running;
    expect(endProblems(events.events)).toEqual([]);
    expect(events.ofType("tool.failed").map(({ data }) => data.status)).toEqual([
      "cancelled",
      "cancelled",
      "cancelled",
    ]);
    expect(events.types().at(-1)).toBe("run.failed");
  });

  test("when a tool ignores the cancellation, and ends long after its run (EVT-02, EVT-04)", async () => {
    const { clock, events } = testSurroundings();
    let finish = (_: string): void => {};
    const slow = fakeTool({
      input: NOTHING,
      name: "slow",
      execute: async (_input, runtime) => {
        const result = await new Promise<string>((resolve) => {
          finish = resolve;
        });
        runtime.progress("late");
        return result;
      },
    });
    const agent = createAgent({
      name: "a",
      model: scriptedModel([{ toolCalls: [{ name: "slow" }] }]),
      tools: [slow],
      events,
    });
    const controller = new AbortController();
    const running = failureOf(agent.invoke("Go.", { clock, signal: controller.signal }));
    await slow.called();
    controller.abort();
    await clock.advance(5_000);
    await running;
    const told = events.events.length;
    finish("at last");
    await clock.advance(1);
    expect(events.events).toHaveLength(told);
    expect(endProblems(events.events)).toEqual([]);
  });

  test("when calls are refused, unknown, wrong, or left by an unfinished answer (EVT-04)", async () => {
    const events = eventRecorder();
    const model = scriptedModel([
      {
        toolCalls: [
          { id: "unknown", name: "nothing" },
          { id: "wrong", name: "pay", rawArgs: "[" },
          { id: "denied", name: "pay" },
        ],
      },
      { toolCalls: [{ id: "cut", name: "look" }], finishReason: "length" },
    ]);
    const tools = [fakeTool({ name: "look" }), fakeTool({ name: "pay", policy: { approval: "always" } })];
    await createAgent({ name: "a", model, tools, events }).invoke("Go.");
    expect(endProblems(events.events)).toEqual([]);
    expect(events.ofType("tool.failed").map(({ data }) => `${data.callId} ${data.status}`)).toEqual([
      "unknown unknown_tool",
      "wrong invalid",
      "denied denied",
      "cut not_run",
    ]);
  });

  test("when a hook fails beside a call that goes on (EVT-04)", async () => {
    const events = eventRecorder();
    const model = scriptedModel([{ toolCalls: [{ name: "look" }, { name: "look" }] }]);
    const middleware = [{ name: "m", wrapTool: () => Promise.reject(new Error("x")) }];
    await failureOf(
      createAgent({ name: "a", model, tools: [fakeTool({ name: "look" })], middleware, events }).invoke("Go."),
    );
    expect(endProblems(events.events)).toEqual([]);
  });

  test("across a pause: a call that asked ends when its answer has come (EVT-04)", async () => {
    const events = eventRecorder();
    const model = scriptedModel([
      {
        toolCalls: [
          { id: "ask", name: "ask" },
          { id: "yes", name: "pay" },
          { id: "no", name: "pay" },
        ],
      },
      "done",
    ]);
    const { interrupt } = await import("@tinyagents/core");
    const tools = [
      fakeTool({ name: "ask", execute: () => interrupt("how much?") }),
      fakeTool({ name: "pay", policy: { approval: "always" } }),
    ];
    const agent = createAgent({ name: "a", model, tools, events, approver: { decide: () => "ask" } });
    const paused = await agent.invoke("Go.", { runId: "r" });
    expect(callsOf(events.events)).toEqual([]);
    const answers: { [id: string]: JsonValue } = {};
    for (const { id, type, callId } of paused.requests) {
      answers[id] = type === "interrupt" ? "ten" : { approve: callId === "yes" };
    }
    await agent.resume(paused.state, { answers });
    expect(endProblems(events.events)).toEqual([]);
    expect([...callsOf(events.events)].sort()).toEqual(["tool.completed ask", "tool.completed yes", "tool.failed no"]);
    expect(events.ofType("run.completed")).toHaveLength(1);
  });

  test("when new input supersedes the calls that wait (EVT-04)", async () => {
    const events = eventRecorder();
    const model = scriptedModel([{ toolCalls: [{ id: "pay", name: "pay" }] }, "fine"]);
    const tools = [fakeTool({ name: "pay", policy: { approval: "always" } })];
    const agent = createAgent({ name: "a", model, tools, events, approver: { decide: () => "ask" } });
    const paused = await agent.invoke("Go.");
    await agent.resume(paused.state, { input: "Never mind." });
    expect(endProblems(events.events)).toEqual([]);
    expect(events.ofType("tool.failed")[0]?.data.status).toBe("superseded");
  });

  test("when a hook of a run fails with an error of a hook that is later still (EVT-02)", async () => {
    const events = eventRecorder();
    const broken = () => Promise.reject(new Error("x"));
    const middleware = [{ name: "m", afterAgent: broken, onError: broken }];
    await failureOf(createAgent({ name: "a", model: scriptedModel(["hi"]), events, middleware }).invoke("Go."));
    expect(events.ofType("run.failed")).toHaveLength(1);
    expect(events.ofType("run.completed")).toHaveLength(0);
    expect(endProblems(events.events)).toEqual([]);
  });
});

describe("random runs", () => {
  const call = fc.record({ name: fc.constantFrom("look", "flaky", "pay", "hang", "nothing"), bad: fc.boolean() });
  const entry: fc.Arbitrary<ScriptEntry> = fc.oneof(
    fc.constant("an answer"),
    fc.constant({ text: "cut", finishReason: "length" as const }),
    fc.constant({ refusal: "no" }),
    fc.constant({ text: "half", hang: true }),
    fc.constantFrom("network", "provider_auth", "provider_server").map((code) => ({
      text: "half",
      error: new TinyAgentsError(code as "network", code, { details: {} }),
    })),
    fc.array(call, { minLength: 1, maxLength: 4 }).map((calls) => ({
      toolCalls: calls.map(({ name, bad }) => (bad ? { name, rawArgs: "{" } : { name, args: {} })),
    })),
  );
  const program = fc.record({
    script: fc.array(entry, { minLength: 1, maxLength: 6 }),
    cancelAtMs: fc.option(fc.integer({ min: 0, max: 3_000 }), { nil: undefined }),
    broken: fc.constantFrom("none", "beforeModel", "afterModel", "beforeTool", "wrapTool", "afterTool", "afterAgent"),
    brokenAt: fc.integer({ min: 1, max: 3 }),
    asks: fc.boolean(),
    recorded: fc.boolean(),
  });

  test("of any script, cancelled or not, with hooks that fail or not, end each thing once (EVT-02, EVT-03, EVT-04)", async () => {
    await fc.assert(
      fc.asyncProperty(program, async ({ script, cancelAtMs, broken, brokenAt, asks, recorded }) => {
        const { clock, ids, random, events } = testSurroundings();
        let hooks = 0;
        const fail = (...given: readonly unknown[]): unknown => {
          if (++hooks === brokenAt) throw new Error("broken");
          const [first, , next] = given;
          return typeof next === "function" ? next(first) : undefined;
        };
        const agent = createAgent({
          name: "a",
          model: scriptedModel(script),
          tools: [
            fakeTool({ name: "look", input: NOTHING, delayMs: 100, clock }),
            flakyTool({ name: "flaky", input: NOTHING, policy: { retry: { maxAttempts: 2 } } }),
            fakeTool({ name: "pay", input: NOTHING, policy: { approval: "always" } }),
            hangingTool({ name: "hang", input: NOTHING, policy: { timeoutMs: 1_500 } }),
          ],
          middleware: broken === "none" ? [] : [{ name: "m", [broken]: fail }],
          limits: { modelTimeoutMs: 2_000, maxModelCalls: 4, maxToolCalls: 6, maxCorrections: 2, maxConcurrency: 2 },
          ...(asks ? { approver: { decide: () => "ask" as const } } : {}),
          ...(recorded ? { recorder: keptRuns() } : {}),
        });
        const controller = new AbortController();
        if (cancelAtMs !== undefined) clock.setTimer(cancelAtMs, () => controller.abort());
        const surroundings = { clock, ids, random, events, signal: controller.signal };
        let running: Promise<AgentRun | undefined> = agent.invoke("Go.", surroundings).catch(() => undefined);
        for (let pauses = 0; pauses < 4; pauses++) {
          for (let i = 0; i < 12; i++) await clock.advance(5_000);
          const run = await running;
          if (run?.status !== "paused") break;
          const answers = Object.fromEntries(run.requests.map(({ id }, at) => [id, { approve: at % 2 === 0 }]));
          running = agent
            .resume(JSON.parse(JSON.stringify(run.state)), { ...surroundings, answers })
            .catch(() => undefined);
        }
        await running;
        expect(endProblems(events.events)).toEqual([]);
        expect(events.types().at(-1)).toMatch(/^run\.(completed|failed)$/);
        const ids_ = events.events.map(({ id }) => id);
        expect(new Set(ids_).size).toBe(ids_.length);
      }),
      { numRuns: 60 },
    );
  }, 60_000);
});
