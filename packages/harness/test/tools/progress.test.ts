import { type AnyTool, callbackSink, type JsonValue, tool, toolText } from "@tinyagents/core";
import { fakeTool, toArray } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";
import { calls, resultsOf, scriptedAgent } from "../support/tool-runs.js";
import { valueStore } from "../support/value-store.js";

const INPUT = { type: "object" } as const;

function generating(yields: readonly JsonValue[], result: unknown, after?: () => void): AnyTool {
  return tool({
    name: "work",
    description: "Works.",
    input: INPUT,
    policy: { effect: "none" },
    async *execute() {
      try {
        for (const delta of yields) yield delta;
        return result;
      } finally {
        after?.();
      }
    },
  });
}

async function progressOf(work: AnyTool, middleware: Parameters<typeof scriptedAgent>[0]["middleware"] = []) {
  const { agent } = scriptedAgent({ tools: [work], middleware, script: [calls("work"), "done"] });
  const items: unknown[] = [];
  for await (const item of agent.stream("Go.", { modes: ["tools"] })) {
    items.push(item.type === "tool_progress" ? item.delta : item.type);
  }
  return items;
}

describe("progress", () => {
  test("can be told by functions that a tool takes out of its runtime (TOOL-07)", async () => {
    const { stores } = valueStore();
    const work = tool({
      name: "work",
      description: "Works.",
      input: INPUT,
      policy: { effect: "none" },
      async execute(_, { progress, saveArtifact }) {
        progress("half");
        return (await saveArtifact({ data: "plan", mediaType: "text/plain" })).bytes;
      },
    });
    const { agent } = scriptedAgent({ tools: [work], script: [calls("work"), "done"] });
    const items = await toArray(agent.stream("Go.", { modes: ["tools"], stores }));
    expect(items).toMatchObject([
      { type: "tool_started" },
      { type: "tool_progress", delta: "half" },
      { type: "tool_result", result: { content: [{ type: "json", value: 4 }] } },
    ]);
  });

  test("is what an async generator yields; what it returns is the result (LOOP-10)", async () => {
    const work = generating([1, { half: true }, "almost"], { answer: 42 });
    expect(await progressOf(work)).toEqual(["tool_started", 1, { half: true }, "almost", "tool_result"]);
    const { run } = scriptedAgent({ tools: [work], script: [calls("work"), "done"] });
    expect(resultsOf(await run())[0]?.content).toEqual([{ type: "json", value: { answer: 42 } }]);
  });

  test("may be reported by any tool through its runtime (TOOL-07)", async () => {
    const reporting = fakeTool({
      name: "work",
      execute: async (_, runtime) => {
        runtime.progress("one");
        await Promise.resolve();
        runtime.progress("two");
        return "ok";
      },
    });
    expect(await progressOf(reporting)).toEqual(["tool_started", "one", "two", "tool_result"]);
  });

  test("passes through the delta hooks in their order (LOOP-10)", async () => {
    const items = await progressOf(generating(["a"], "ok"), [
      { name: "first", onToolDelta: (delta) => `${String(delta)}1` },
      { name: "looks", onToolDelta: () => {} },
      { name: "second", onToolDelta: (delta, { name }) => `${String(delta)}2 of ${name}` },
    ]);
    expect(items).toEqual(["tool_started", "a12 of work", "tool_result"]);
  });

  test("is never part of the result", async () => {
    const { run } = scriptedAgent({ tools: [generating(["secret progress"], "ok")], script: [calls("work"), "done"] });
    expect(JSON.stringify((await run()).messages)).not.toContain("secret progress");
  });

  test("is an event only for sinks that ask for fragments, and has what was said only for those that ask for that", async () => {
    const seen: unknown[] = [];
    const deltas = callbackSink((event) => void (event.type === "tool.delta" && seen.push(event.data)), {
      deltas: true,
    });
    await scriptedAgent({ tools: [generating(["x"], 1)], events: deltas, script: [calls("work"), "done"] }).run();
    expect(seen).toEqual([{ callId: "a", tool: "work" }]);
    const { run, events } = scriptedAgent({ tools: [generating(["x"], 1)], script: [calls("work"), "done"] });
    await run();
    expect(events.types()).not.toContain("tool.delta");
  });

  test("after the end of a call is dropped", async () => {
    let report: () => void = () => {};
    const work: AnyTool = tool({
      name: "work",
      description: "Works.",
      input: INPUT,
      execute: (_, runtime) => {
        report = () => runtime.progress("late");
        return "ok";
      },
    });
    const items = await progressOf(work, [{ name: "late", afterTool: () => report() }]);
    expect(items).toEqual(["tool_started", "tool_result"]);
  });
});

describe("a generator", () => {
  test("that throws half-way fails its call", async () => {
    const work = tool({
      name: "work",
      description: "Works.",
      input: INPUT,
      async *execute() {
        yield 1;
        throw new Error("half-way");
      },
    });
    const { run } = scriptedAgent({ tools: [work], script: [calls("work"), "done"] });
    expect(toolText(resultsOf(await run())[0] as never)).toBe("The tool work failed: half-way");
  });

  test("that returns nothing has null as its result", async () => {
    const { run } = scriptedAgent({ tools: [generating([1], undefined)], script: [calls("work"), "done"] });
    expect(resultsOf(await run())[0]?.content).toEqual([{ type: "json", value: null }]);
  });

  test("cleans up when its time is over", async () => {
    let cleaned = false;
    const work = tool({
      name: "work",
      description: "Works.",
      input: INPUT,
      policy: { effect: "none", timeoutMs: 15 },
      async *execute(_, { run: { clock } }) {
        try {
          for (let tick = 0; ; tick++) {
            await clock.sleep(10);
            yield tick;
          }
        } finally {
          cleaned = true;
        }
      },
    });
    const { run, clock } = scriptedAgent({ tools: [work], script: [calls("work"), "done"] });
    const running = run();
    await clock.advance(5);
    await clock.advance(40);
    expect(resultsOf(await running)[0]?.status).toBe("timeout");
    expect(cleaned).toBe(true);
    expect(clock.timers).toBe(0);
  });

  test("that an async function hands out is no result: the call fails instead of giving an empty object", async () => {
    const work: AnyTool = {
      ...fakeTool({ name: "work" }),
      execute: async () => generating([], 1).execute({} as never, {} as never),
    };
    const { run } = scriptedAgent({ tools: [work], script: [calls("work"), "done"] });
    expect(resultsOf(await run())[0]?.status).toBe("failed");
  });
});
