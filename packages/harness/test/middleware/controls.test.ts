import { type Control, type HookName, type HookResult, type Middleware, TinyAgentsError } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { eventRecorder, fakeTool, scriptedModel } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";
import { failureOf } from "../support/failures.js";
import { historyProblems } from "../support/kept-runs.js";
import { resultStatuses } from "../support/transcript.js";

type Controlling = "beforeAgent" | "beforeModel" | "afterModel" | "beforeTool" | "afterTool" | "afterAgent";

const HOOKS: readonly Controlling[] = [
  "beforeAgent",
  "beforeModel",
  "afterModel",
  "beforeTool",
  "afterTool",
  "afterAgent",
];
const refused = new TinyAgentsError("invalid_request", "not like this", { details: {} });

/** A middleware whose hook asks for something the first time it is called. */
function asking(name: string, hook: HookName, control: Control): Middleware {
  let asked = false;
  const once = (): HookResult<never> | undefined => {
    if (asked) return undefined;
    asked = true;
    return { control };
  };
  return { name, [hook]: once };
}

function setting(middleware: readonly Middleware[], calls = 1) {
  const events = eventRecorder();
  const model = scriptedModel([
    { text: "Let me look.", toolCalls: Array.from({ length: calls }, () => ({ name: "look" })) },
    "There is fog.",
    "There is still fog.",
  ]);
  const look = fakeTool({ name: "look", result: "fog" });
  const agent = createAgent({ name: "a", model, tools: [look], middleware, events });
  const applied = () => events.ofType("control.applied").map(({ data }) => data);
  return { agent, model, look, events, applied };
}

describe("stop", () => {
  test.each([
    ["beforeAgent", 0, 0],
    ["beforeModel", 0, 0],
    ["afterModel", 1, 0],
    ["beforeTool", 1, 0],
    ["afterTool", 1, 1],
    ["afterAgent", 2, 1],
  ] as const)("from %s ends the run with its payload, and makes up no answer (MWH-04)", async (hook, asked, ran) => {
    const { agent, model, look, applied } = setting([
      asking("guard", hook, { type: "stop", payload: { why: "enough" } }),
    ]);
    const run = await agent.invoke("Go.");
    expect(run.status).toBe("stopped");
    expect(run.stop).toEqual({ by: "middleware", name: "guard", payload: { why: "enough" } });
    expect([model.calls.length, look.calls.length]).toEqual([asked, ran]);
    expect(applied()).toEqual([{ control: "stop", by: "guard" }]);
    expect(historyProblems(run)).toBe("");
  });

  test("from beforeTool keeps the whole batch from running (MWH-04)", async () => {
    let calls = 0;
    const third: Middleware = {
      name: "guard",
      beforeTool: () => (++calls === 2 ? { control: { type: "stop" } } : undefined),
    };
    const { agent, look } = setting([third], 3);
    const run = await agent.invoke("Go.");
    expect([look.calls.length, run.counters.toolCalls]).toEqual([0, 0]);
    expect(resultStatuses(run.messages)).toEqual(["look#call_1 not_run", "look#call_2 not_run", "look#call_3 not_run"]);
  });

  test("from onError ends a run whose model failed without a failure (MWH-04)", async () => {
    const model = scriptedModel([{ error: refused }]);
    const middleware = [asking("guard", "onError", { type: "stop", payload: "sorry" })];
    const run = await createAgent({ name: "a", model, middleware }).invoke("Go.");
    expect([run.status, run.stop?.payload]).toEqual(["stopped", "sorry"]);
  });
});

describe("fail", () => {
  test.each(HOOKS)("from %s ends the run with its error, and leaves a whole history (MWH-04)", async (hook) => {
    const { agent, applied } = setting([asking("guard", hook, { type: "fail", error: refused })]);
    const { error, run } = await failureOf(agent.invoke("Go."));
    expect([error.code, error.message]).toEqual(["invalid_request", "not like this"]);
    expect(applied()).toEqual([{ control: "fail", by: "guard" }]);
    expect(historyProblems(run)).toBe("");
  });

  test("from beforeTool keeps the whole batch from running (MWH-04)", async () => {
    let calls = 0;
    const second: Middleware = {
      name: "guard",
      beforeTool: async () => (++calls === 2 ? { control: { type: "fail", error: refused } } : undefined),
    };
    const { agent, look } = setting([second], 3);
    await failureOf(agent.invoke("Go."));
    expect(look.calls).toHaveLength(0);
  });
});

describe("interrupt", () => {
  test.each([
    ["beforeAgent", 0],
    ["beforeModel", 0],
    ["afterModel", 1],
    ["beforeTool", 1],
    ["afterTool", 1],
    ["afterAgent", 2],
  ] as const)("from %s pauses the run, which goes on with the answer (MWH-04, MW-06)", async (hook, asked) => {
    const answers: unknown[] = [];
    const listening: Middleware = { name: "listening", afterAgent: () => {} };
    const asks: Middleware = {
      ...listening,
      name: "asks",
      [hook]: (...given: readonly unknown[]): HookResult<never> | undefined => {
        const context = given.at(-1) as { readonly answer: unknown };
        answers.push(context.answer);
        return answers.length === 1 ? { control: { type: "interrupt", payload: "may I?" } } : undefined;
      },
    };
    const { agent, model, look, events } = setting([asks]);
    const paused = await agent.invoke("Go.");
    expect(paused.status).toBe("paused");
    expect(model.calls).toHaveLength(asked);
    const [request] = paused.requests;
    expect(request).toMatchObject({ type: "interrupt", middleware: "asks", payload: "may I?" });
    expect(events.ofType("run.completed")).toHaveLength(0);
    const state = JSON.parse(JSON.stringify(paused.state));
    const run = await agent.resume(state, { answers: { [request?.id ?? ""]: "yes" } });
    expect([run.status, run.text, look.calls.length]).toEqual(["completed", "There is fog.", 1]);
    for (const later of answers.slice(1)) expect(later).toBe("yes");
    expect(historyProblems(run)).toBe("");
  });

  test("asked again forgets the answer to the one before (MWH-04)", async () => {
    const seen: unknown[] = [];
    const asks: Middleware = {
      name: "asks",
      beforeModel: (_request, { answer, counters }) => {
        seen.push(answer);
        const due = counters.modelCalls === 0 ? answer === undefined : answer !== "second";
        return due ? { control: { type: "interrupt", payload: counters.modelCalls } } : undefined;
      },
    };
    const { agent } = setting([asks]);
    const first = await agent.invoke("Go.");
    const second = await agent.resume(first.state, { answers: { [first.requests[0]?.id ?? ""]: "first" } });
    expect(second.state.answers).toEqual({});
    await agent.resume(second.state, { answers: { [second.requests[0]?.id ?? ""]: "second" } });
    expect(seen).toEqual([undefined, "first", "first", "second"]);
  });
});

describe("jump", () => {
  test("to the end from afterModel ends the run with what was said, calls not run (MWH-04)", async () => {
    const { agent, look, model } = setting([asking("short", "afterModel", { type: "jump", to: "end" })]);
    const run = await agent.invoke("Go.");
    expect([run.text, look.calls.length, model.calls.length]).toEqual(["Let me look.", 0, 1]);
    expect(resultStatuses(run.messages)).toEqual(["look#call_1 not_run"]);
  });

  test("to the model from beforeTool goes on without the call (MWH-04)", async () => {
    const { agent, look } = setting([asking("skip", "beforeTool", { type: "jump", to: "model" })]);
    const run = await agent.invoke("Go.");
    expect([run.text, look.calls.length]).toEqual(["There is fog.", 0]);
  });

  test("to the model from afterAgent asks for another answer (MWH-04)", async () => {
    const { agent } = setting([asking("more", "afterAgent", { type: "jump", to: "model" })]);
    expect((await agent.invoke("Go.")).text).toBe("There is still fog.");
  });

  test("to the tools from afterModel runs the calls although another hook wanted the model (MWH-04)", async () => {
    const { agent, look } = setting([
      asking("tools", "afterModel", { type: "jump", to: "tools" }),
      { name: "looks on", afterModel: () => {} },
    ]);
    await agent.invoke("Go.");
    expect(look.calls).toHaveLength(1);
  });

  test.each([
    ["model", "beforeModel"],
    ["tools", "beforeModel"],
    ["tools", "afterTool"],
    ["end", "afterAgent"],
    ["tools", "afterAgent"],
  ] as const)("to the %s from %s, where the run is or nothing is due, changes nothing (MWH-04)", async (to, hook) => {
    const always: Middleware = { name: "always", [hook]: () => ({ control: { type: "jump", to } }) };
    const { agent, applied } = setting([always]);
    expect((await agent.invoke("Go.")).text).toBe("There is fog.");
    expect(applied()).toEqual([]);
  });

  test("undoes the end that a tool or hook had asked for before (MWH-04)", async () => {
    const { agent } = setting([
      asking("more", "afterAgent", { type: "jump", to: "model" }),
      asking("enough", "afterTool", { type: "stop" }),
    ]);
    const run = await agent.invoke("Go.");
    expect([run.status, run.text]).toEqual(["completed", "There is fog."]);
  });
});

describe("retry", () => {
  test("from onError asks the model once more (MWH-04)", async () => {
    const model = scriptedModel([{ error: refused }, "fine"]);
    const middleware = [asking("again", "onError", { type: "retry" })];
    const run = await createAgent({ name: "a", model, middleware }).invoke("Go.");
    expect([run.text, run.counters.modelCalls]).toEqual(["fine", 2]);
  });

  test("for ever is ended by the limit of model calls (MWH-04)", async () => {
    const model = scriptedModel(Array.from({ length: 3 }, () => ({ error: refused })));
    const again: Middleware = { name: "again", onError: () => ({ control: { type: "retry" } }) };
    const agent = createAgent({ name: "a", model, middleware: [again], limits: { maxModelCalls: 3 } });
    expect((await failureOf(agent.invoke("Go."))).error.code).toBe("limit_exceeded");
    model.assertDone();
  });

  test("with an edit of the history asks with the edited one (MWH-04)", async () => {
    const model = scriptedModel([{ error: refused }, "fine"]);
    const trim: Middleware = {
      name: "trim",
      onError: () => ({ history: { from: 0, to: 2, messages: [] }, control: { type: "retry" } }),
    };
    const agent = createAgent({ name: "a", model, middleware: [trim] });
    await agent.invoke(["one", "two", "three"].map((content) => ({ role: "user", content })));
    expect(model.requests.map(({ messages }) => messages.length)).toEqual([3, 1]);
  });
});

describe("several controls at once", () => {
  const fail: Control = { type: "fail", error: refused };
  const interrupt: Control = { type: "interrupt", payload: null };
  const stop: Control = { type: "stop", payload: "stopped" };
  const jump: Control = { type: "jump", to: "end" };

  test.each([
    ["jump", jump, "stop", stop],
    ["jump", jump, "interrupt", interrupt],
    ["jump", jump, "fail", fail],
  ] as const)("of two hooks of one chain: %s gives way to %s (MWH-04)", async (_, weaker, name, stronger) => {
    const { agent, applied } = setting([
      asking("first", "beforeModel", weaker),
      asking("second", "beforeModel", stronger),
    ]);
    await agent.invoke("Go.").catch(() => {});
    expect(applied()).toEqual([{ control: name, by: "second" }]);
  });

  test.each([
    ["stop", stop, "interrupt", interrupt],
    ["stop", stop, "fail", fail],
    ["interrupt", interrupt, "fail", fail],
    ["jump", jump, "stop", stop],
  ] as const)(
    "of two calls of one batch: %s gives way to %s, whichever came first (MWH-04)",
    async (_, weaker, name, stronger) => {
      for (const order of [
        [weaker, stronger],
        [stronger, weaker],
      ]) {
        let calls = 0;
        const guard: Middleware = {
          name: "guard",
          afterTool: () => {
            const control = order[calls++];
            return control === undefined ? undefined : { control };
          },
        };
        const { agent, applied } = setting([guard], 2);
        await agent.invoke("Go.").catch(() => {});
        expect(applied()).toEqual([{ control: name, by: "guard" }]);
      }
    },
  );

  test("of onError and afterTool about one call: the stronger (MWH-04)", async () => {
    const model = scriptedModel([{ toolCalls: [{ name: "look" }] }, "done"]);
    const look = fakeTool({ name: "look", result: new Error("dark") });
    const middleware = [asking("ears", "onError", jump), asking("eyes", "afterTool", fail)];
    const agent = createAgent({ name: "a", model, tools: [look], middleware });
    expect((await failureOf(agent.invoke("Go."))).error.message).toBe("not like this");
  });

  test("a failure goes before the pause that another call of the batch wants (MWH-04)", async () => {
    const model = scriptedModel([{ toolCalls: [{ name: "look" }, { name: "pay" }] }]);
    const tools = [fakeTool({ name: "look" }), fakeTool({ name: "pay", policy: { approval: "always" } })];
    const approver = { decide: () => "ask" as const };
    const middleware = [asking("guard", "afterTool", fail)];
    const { run } = await failureOf(createAgent({ name: "a", model, tools, approver, middleware }).invoke("Go."));
    expect(run.requests).toEqual([]);
    expect(historyProblems(run)).toBe("");
  });

  test("a stop is kept while another call of the batch waits, and ends the run after it (MWH-04)", async () => {
    const model = scriptedModel([{ toolCalls: [{ name: "look" }, { name: "pay" }] }]);
    const pay = fakeTool({ name: "pay", policy: { approval: "always" }, result: "paid" });
    const approver = { decide: () => "ask" as const };
    const middleware = [asking("guard", "afterTool", stop)];
    const agent = createAgent({ name: "a", model, tools: [fakeTool({ name: "look" }), pay], approver, middleware });
    const paused = await agent.invoke("Go.");
    expect(paused.status).toBe("paused");
    const run = await agent.resume(JSON.parse(JSON.stringify(paused.state)), {
      answers: { [paused.requests[0]?.id ?? ""]: { approve: true } },
    });
    expect([run.status, run.stop?.payload, pay.calls.length]).toEqual(["stopped", "stopped", 1]);
  });
});
