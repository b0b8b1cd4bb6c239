import { type AgentState, type JsonValue, type Middleware, text } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { fakeTool, scriptedModel } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";
import { threads } from "../support/threads.js";

/** Counts model calls in its state, and notes what it saw for which run. */
function counting(name: string, seen: string[] = []): Middleware {
  return {
    name,
    beforeModel: async (_request, { state, config }) => {
      seen.push(`${config.runId}: ${JSON.stringify(state)}`);
      await Promise.resolve();
      return { state: { calls: callsOf(state) + 1 } };
    },
  };
}

function callsOf(state: JsonValue | undefined): number {
  return (state as { readonly calls?: number } | undefined)?.calls ?? 0;
}

const answers = (count: number) =>
  scriptedModel(
    Array.from({ length: count }, () => ({ messages }) => {
      const last = messages.at(-1);
      return last?.role === "tool"
        ? "done"
        : { text: text(messages[0] ?? { content: [] }), toolCalls: [{ name: "look" }] };
    }),
  );
const tools = [fakeTool({ name: "look" })];

describe("what a middleware keeps", () => {
  test("is in the run's state under its name, and nowhere before it kept something (MWH-01)", async () => {
    const seen: string[] = [];
    const agent = createAgent({ name: "a", model: answers(2), tools, middleware: [counting("count", seen)] });
    const run = await agent.invoke("Go.", { runId: "r" });
    expect(seen).toEqual(["r: undefined", 'r: {"calls":1}']);
    expect(run.state.middleware).toEqual({ count: { calls: 2 } });
  });

  test("is its own: no other middleware sees it (MW-08)", async () => {
    const agent = createAgent({
      name: "a",
      model: answers(4),
      tools,
      middleware: [
        counting("one"),
        { name: "two", beforeModel: (_request, { state }) => ({ state: state ?? "mine" }) },
      ],
    });
    expect((await agent.invoke("Go.")).state.middleware).toEqual({ one: { calls: 2 }, two: "mine" });
  });

  test("never leaks between runs of one agent that go on at once, step by step (MW-08)", async () => {
    const seen: string[] = [];
    const agent = createAgent({ name: "a", model: answers(8), tools, middleware: [counting("count", seen)] });
    let states: AgentState[] = ["r1", "r2", "r3"].map((runId) => agent.initialState("Go.", { runId }));
    while (states.some(({ phase }) => phase !== "done")) {
      states = await Promise.all(states.map((state) => agent.step(state)));
    }
    for (const { middleware } of states) expect(middleware).toEqual({ count: { calls: 2 } });
    for (const runId of ["r1", "r2", "r3"]) {
      expect(seen.filter((line) => line.startsWith(runId))).toEqual([`${runId}: undefined`, `${runId}: {"calls":1}`]);
    }
  });

  test("is shared by the runs of one thread, through its memory, and by no other thread (MW-08)", async () => {
    const memory = threads();
    const agent = createAgent({ name: "a", model: answers(6), tools, memory, middleware: [counting("count")] });
    await agent.invoke("Go.", { threadId: "t1" });
    const again = agent.invoke("Go.", { threadId: "t1" });
    const other = agent.invoke("Go.", { threadId: "t2" });
    expect((await again).state.middleware).toEqual({ count: { calls: 4 } });
    expect((await other).state.middleware).toEqual({ count: { calls: 2 } });
  });

  test("survives JSON and another agent object of the same name (MW-08)", async () => {
    const make = () => createAgent({ name: "a", model: answers(2), tools, middleware: [counting("count")] });
    let state = make().initialState("Go.");
    while (state.phase !== "done") state = JSON.parse(JSON.stringify(await make().step(state)));
    expect(state.middleware).toEqual({ count: { calls: 2 } });
  });

  test.each(["__proto__", "constructor"])("may be kept by a middleware named %s (MWH-06)", async (name) => {
    const memory = threads();
    const agent = createAgent({ name: "a", model: answers(4), tools, memory, middleware: [counting(name)] });
    await agent.invoke("Go.", { threadId: "t" });
    const { state } = await agent.invoke("Go.", { threadId: "t" });
    expect(Object.getOwnPropertyDescriptor(state.middleware, name)?.value).toEqual({ calls: 4 });
    expect(Object.getPrototypeOf(state.middleware)).toBe(Object.prototype);
  });
});

test("one middleware in one run gets one context, with the live history and counters (MWH-01)", async () => {
  const contexts = new Set<unknown>();
  const lengths: number[] = [];
  const watch: Middleware = {
    name: "watch",
    beforeModel: (_request, context) => {
      contexts.add(context);
      lengths.push(context.messages.length, context.counters.modelCalls);
    },
    afterModel: (_response, context) => void contexts.add(context),
  };
  await createAgent({ name: "a", model: answers(2), tools, middleware: [watch] }).invoke("Go.");
  expect(contexts.size).toBe(1);
  expect(lengths).toEqual([1, 0, 3, 1]);
});
