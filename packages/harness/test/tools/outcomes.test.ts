import { checkHistory, content, interrupt, isToolOutcome, type JsonObject, stop, toolText } from "@tinyagents/core";
import { fakeTool } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";
import { call, calls, resultsOf, scriptedAgent, stored } from "../support/tool-runs.js";

describe("a tool that ends the run", () => {
  test("gives it a payload and no made-up answer; the calls beside it have their results (LOOP-15)", async () => {
    const done = fakeTool({ name: "hand_over", execute: () => stop({ to: "a person", at: 3 }) });
    const other = fakeTool({ name: "note", result: "noted" });
    const { run, model, events } = scriptedAgent({
      tools: [done, other],
      script: [calls("note", "hand_over", "note")],
    });
    const finished = await run();
    expect(finished.status).toBe("stopped");
    expect(finished.stop).toEqual({ by: "tool", name: "hand_over", payload: { to: "a person", at: 3 } });
    expect(finished.text).toBe("");
    expect(resultsOf(finished).map(({ status }) => status)).toEqual(["ok", "ok", "ok"]);
    expect(checkHistory(finished.messages)).toEqual([]);
    expect(model.requests).toHaveLength(1);
    expect(events.ofType("run.completed").map(({ data }) => data.status)).toEqual(["stopped"]);
  });

  test("promises no structured answer either (LOOP-15)", async () => {
    const done = fakeTool({ name: "give_up", execute: () => stop("too hard") });
    const { run } = scriptedAgent({ tools: [done], output: { type: "object" }, script: [calls("give_up")] });
    const finished = await run();
    expect(finished).toMatchObject({ status: "stopped", output: undefined, stop: { payload: "too hard" } });
  });

  test("of two in a batch, the first in time is the one", async () => {
    const end = fakeTool({ name: "end", execute: (_, { callId }) => stop(callId) });
    const { run } = scriptedAgent({ tools: [end], limits: { maxConcurrency: 1 }, script: [calls("end", "end")] });
    expect((await run()).stop?.payload).toBe("a");
  });

  test("puts only JSON into the run's state", async () => {
    const end = fakeTool({ name: "end", execute: () => stop({ at: new Date(0), more: undefined } as never) });
    const { run } = scriptedAgent({ tools: [end], script: [calls("end")] });
    expect((await run()).stop?.payload).toStrictEqual({ at: "1970-01-01T00:00:00.000Z" });
  });

  test("cannot end it with what is not JSON: the call fails", async () => {
    const end = fakeTool({ name: "end", execute: () => stop(10n as never) });
    const { run } = scriptedAgent({ tools: [end], script: [calls("end"), "done"] });
    const finished = await run();
    expect(finished.text).toBe("done");
    expect(resultsOf(finished)[0]?.status).toBe("failed");
  });
});

describe("a tool that asks", () => {
  test("pauses the run; the answer becomes its result, and it does not run again (LOOP-15)", async () => {
    const ask = fakeTool({ name: "ask", execute: () => interrupt({ question: "Which one?" }) });
    const { agent, run, model } = scriptedAgent({ tools: [ask], script: [calls("ask"), "done"] });
    const paused = await run();
    expect(paused).toMatchObject({ status: "paused", text: "" });
    expect(paused.requests).toEqual([
      {
        id: "interrupt-1",
        type: "interrupt",
        runId: "run-1",
        callId: "a",
        tool: "ask",
        payload: { question: "Which one?" },
      },
    ]);
    const finished = await agent.resume(stored(paused.state), { answers: { "interrupt-1": "the blue one" } });
    expect(finished.text).toBe("done");
    expect(toolText(resultsOf(finished)[0] as never)).toBe("the blue one");
    expect(ask.calls).toHaveLength(1);
    expect(model.requests).toHaveLength(2);
  });

  test("takes an answer of any JSON kind", async () => {
    const ask = fakeTool({ name: "ask", execute: () => interrupt(null) });
    const { agent, run } = scriptedAgent({ tools: [ask], script: [calls("ask"), "done"] });
    const paused = await run();
    const finished = await agent.resume(stored(paused.state), { answers: { "interrupt-1": { pick: [1, null] } } });
    expect(resultsOf(finished)[0]?.content).toEqual([{ type: "json", value: { pick: [1, null] } }]);
  });

  test("goes on where it was when it kept a state, in another process too (LOOP-15)", async () => {
    const book = fakeTool({
      name: "book",
      execute: (_, { resumed }) =>
        resumed === undefined
          ? interrupt("Really?", { state: { seat: "12A" } })
          : `booked ${(resumed.state as JsonObject).seat} after ${String(resumed.answers.answer)}`,
    });
    const { agent, run, events } = scriptedAgent({ tools: [book], script: [calls("book"), "done"] });
    const paused = await run();
    const finished = await agent.resume(stored(paused.state), { answers: { "interrupt-1": "yes" } });
    expect(toolText(resultsOf(finished)[0] as never)).toBe("booked 12A after yes");
    expect(book.calls).toHaveLength(2);
    expect(finished.counters.toolCalls).toBe(1);
    expect(events.ofType("tool.started")).toHaveLength(1);
    expect(events.ofType("tool.completed")).toHaveLength(1);
  });

  test("may ask again and again", async () => {
    const tool = fakeTool({
      name: "form",
      execute: (_, { resumed }) => {
        const given = [...((resumed?.state ?? []) as string[]), ...(resumed ? [String(resumed.answers.answer)] : [])];
        return given.length === 3 ? given : interrupt(given.length, { state: given });
      },
    });
    const { agent, run } = scriptedAgent({ tools: [tool], script: [calls("form"), "done"] });
    let current = await run();
    for (const said of ["a", "b", "c"]) {
      const [request] = current.requests;
      current = await agent.resume(stored(current.state), { answers: { [request?.id ?? ""]: said } });
    }
    expect(current.text).toBe("done");
    expect(resultsOf(current)[0]?.content).toEqual([{ type: "json", value: ["a", "b", "c"] }]);
  });

  test("is not stopped by the limit of tool calls when it goes on (LIM-02)", async () => {
    const tool = fakeTool({
      name: "book",
      execute: (_, { resumed }) => (resumed === undefined ? interrupt("Really?", { state: 1 }) : "booked"),
    });
    const { agent, run } = scriptedAgent({
      tools: [tool],
      limits: { maxToolCalls: 1 },
      script: [calls("book"), "done"],
    });
    const paused = await run();
    const finished = await agent.resume(stored(paused.state), { answers: { "interrupt-1": true } });
    expect(resultsOf(finished)[0]).toMatchObject({ status: "ok" });
  });

  test("keeps the results of the calls beside it, and they do not run again", async () => {
    const ask = fakeTool({ name: "ask", execute: () => interrupt("?") });
    const work = fakeTool({ name: "work", result: "worked" });
    const { agent, run } = scriptedAgent({ tools: [ask, work], script: [calls("work", "ask", "work"), "done"] });
    const paused = await run();
    const finished = await agent.resume(stored(paused.state), { answers: { "interrupt-1": "!" } });
    expect(work.calls).toHaveLength(2);
    expect(resultsOf(finished).map(toolText)).toEqual(["worked", "!", "worked"]);
  });

  test("beside others that ask has its request in call order, whatever asked first", async () => {
    const slow = fakeTool({
      name: "slow",
      execute: async (_, { callId }) => {
        if (callId === "a") await new Promise((resolve) => setImmediate(resolve));
        return interrupt(callId);
      },
    });
    const { agent, run } = scriptedAgent({ tools: [slow], script: [calls("slow", "slow"), "done"] });
    const paused = await run();
    expect(paused.requests.map(({ callId }) => callId)).toEqual(["a", "b"]);
    const [first, second] = paused.requests;
    const half = await agent.resume(stored(paused.state), { answers: { [second?.id ?? ""]: "two" } });
    expect(half.status).toBe("paused");
    expect(half.requests.map(({ callId }) => callId)).toEqual(["a"]);
    const finished = await agent.resume(stored(half.state), { answers: { [first?.id ?? ""]: "one" } });
    expect(resultsOf(finished).map(toolText)).toEqual(["one", "two"]);
  });

  test("wins over one that ends the run, which is not forgotten (LOOP-15)", async () => {
    const ask = fakeTool({ name: "ask", execute: () => interrupt("?") });
    const end = fakeTool({ name: "end", execute: () => stop("enough") });
    const { agent, run, model } = scriptedAgent({ tools: [ask, end], script: [calls("end", "ask")] });
    const paused = await run();
    expect(paused.status).toBe("paused");
    const finished = await agent.resume(stored(paused.state), { answers: { "interrupt-1": "!" } });
    expect(finished).toMatchObject({ status: "stopped", stop: { payload: "enough" } });
    expect(model.requests).toHaveLength(1);
  });

  test("keeps only JSON in the run's state", async () => {
    const ask = fakeTool({
      name: "ask",
      execute: () => interrupt({ at: new Date(0) } as never, { state: { left: undefined, at: new Date(0) } as never }),
    });
    const { run } = scriptedAgent({ tools: [ask], script: [calls("ask")] });
    const paused = await run();
    expect(stored(paused.state)).toStrictEqual(paused.state);
    expect(paused.requests[0]).toMatchObject({ payload: { at: "1970-01-01T00:00:00.000Z" } });
  });
});

describe("what only looks like an outcome", () => {
  test.each([
    [{ type: "stop", payload: "x" }],
    [{ type: "interrupt", payload: "x", state: 1 }],
    [{ type: "content", content: [{ type: "text", text: "x" }], isError: true }],
    [stored(stop("x"))],
    [{ ...interrupt("x") }],
  ])("is data: %j", async (value) => {
    expect(isToolOutcome(value)).toBe(false);
    const { run } = scriptedAgent({
      tools: [fakeTool({ name: "t", execute: () => value })],
      script: [calls("t"), "done"],
    });
    const finished = await run();
    expect(finished).toMatchObject({ status: "completed", text: "done" });
    expect(resultsOf(finished)[0]).toMatchObject({ status: "ok", content: [{ type: "json", value }] });
  });

  test("and what a model writes as arguments is never one", async () => {
    const echo = fakeTool({ name: "echo", execute: (input) => input });
    const { run } = scriptedAgent({
      tools: [echo],
      script: [calls(call("echo", { type: "stop", payload: "x", "@tinyagents/tool-outcome": true })), "done"],
    });
    expect((await run()).status).toBe("completed");
  });
});

test("outcomes come out of async tools and out of generators alike", async () => {
  const made = [
    async () => content("async"),
    async function* () {
      yield "half";
      return content("generated");
    },
  ];
  for (const execute of made) {
    const { run } = scriptedAgent({
      tools: [{ ...fakeTool({ name: "t" }), execute }],
      script: [calls("t"), "done"],
    });
    expect(toolText(resultsOf(await run())[0] as never)).toMatch(/^(async|generated)$/);
  }
});
