import { type AnyTool, canonicalJson, checkHistory, type ModelRequest, toolText } from "@tinyagents/core";
import { fakeTool, gauge } from "@tinyagents/testkit";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { failureOf } from "../support/failures.js";
import { call, calls, resultsOf, scriptedAgent } from "../support/tool-runs.js";

/** Tools whose executions end when the test says so. */
function gates(count: number) {
  const open: (() => void)[] = [];
  const tools = Array.from({ length: count }, (_, index) => {
    const gate = new Promise<void>((resolve) => {
      open[index] = resolve;
    });
    return fakeTool({ name: `t${index}`, result: `result ${index}`, gate });
  });
  return { tools, open: (index: number) => open[index]?.() };
}

async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

describe("calls of one turn", () => {
  test("make the same next request whatever finishes first (PA-05, TOOL-17, LOOP-10)", async () => {
    const inOrder = await requestAfter([0, 1, 2, 3]);
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 }), async (order) => {
        expect(await requestAfter(order)).toBe(inOrder);
      }),
      { numRuns: 12 },
    );
    expect(inOrder).toBe(await requestAfter([0, 1, 2, 3], 1));
  });

  test("run beside each other, no more than the limit at once (LIM-03, TOOL-17)", async () => {
    const inFlight = gauge();
    const tools = Array.from({ length: 10 }, (_, index) =>
      inFlight.tool(fakeTool({ name: `t${index}`, execute: turn })),
    );
    const { run } = scriptedAgent({
      tools,
      limits: { maxConcurrency: 3 },
      script: [calls(...tools.map(({ spec }) => spec.name)), "done"],
    });
    await run();
    expect(inFlight.highest).toBe(3);
    expect(inFlight.total).toBe(10);
  });

  test("never overlap with one that is not safe beside others (TOOL-17)", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 8 }), async (unsafe) => {
        const all = gauge();
        let alone = true;
        const tools = unsafe.map((isUnsafe, index) =>
          all.tool(
            fakeTool({
              name: `t${index}`,
              policy: isUnsafe ? { effect: "write" } : { effect: "read" },
              execute: async () => {
                if (isUnsafe && all.current !== 1) alone = false;
                await turn();
                if (isUnsafe && all.current !== 1) alone = false;
                return index;
              },
            }),
          ),
        );
        const { run } = scriptedAgent({ tools, script: [calls(...tools.map(({ spec }) => spec.name)), "done"] });
        const results = resultsOf(await run());
        expect(alone).toBe(true);
        expect(all.total).toBe(unsafe.length);
        expect(results.map(toolText)).toEqual(unsafe.map((_, index) => String(index)));
      }),
      { numRuns: 25 },
    );
  });

  test("overlap when unsafe ones say that they are safe, and safe ones do not when they say so (TOOL-13)", async () => {
    for (const [policy, highest] of [
      [{ effect: "write", concurrencySafe: true }, 2],
      [{ effect: "read", concurrencySafe: false }, 1],
      [{}, 2],
    ] as const) {
      const inFlight = gauge();
      const tool = inFlight.tool(fakeTool({ name: "t", policy, execute: turn }));
      await scriptedAgent({ tools: [tool], script: [calls("t", "t"), "done"] }).run();
      expect(inFlight.highest).toBe(highest);
    }
  });

  test("are all checked before any runs (LOOP-08)", async () => {
    const order: string[] = [];
    const noted = (name: string): AnyTool =>
      fakeTool({
        name,
        policy: () => {
          order.push(`check ${name}`);
          return { effect: "none" };
        },
        execute: () => order.push(`run ${name}`),
      });
    const tools = [noted("one"), noted("two")];
    order.length = 0;
    await scriptedAgent({ tools, script: [calls("one", "two"), "done"] }).run();
    expect(order).toEqual(["check one", "check two", "run one", "run two"]);
  });

  test("each go through the hooks before and after them once (LOOP-09, LOOP-10)", async () => {
    const seen: string[] = [];
    const { run } = scriptedAgent({
      tools: [fakeTool({ name: "t" })],
      middleware: [
        {
          name: "watch",
          beforeTool: ({ id }) => void seen.push(`before ${id}`),
          afterTool: ({ toolCallId }) => void seen.push(`after ${toolCallId}`),
        },
      ],
      script: [calls("t", "t"), "done"],
    });
    await run();
    expect(seen.filter((line) => line.startsWith("before"))).toEqual(["before a", "before b"]);
    expect(seen.filter((line) => line.startsWith("after")).toSorted()).toEqual(["after a", "after b"]);
  });

  test("go on until an answer has none (LOOP-11)", async () => {
    const tool = fakeTool({ name: "t" });
    const { run, model } = scriptedAgent({
      tools: [tool],
      script: [{ toolCalls: [call("t")] }, { toolCalls: [call("t")] }, "done"],
    });
    const finished = await run();
    expect(finished.text).toBe("done");
    expect(tool.calls).toHaveLength(2);
    model.assertDone();
  });
});

describe("a call that fails", () => {
  test("leaves the others their results, and the run goes on (AL-05)", async () => {
    const { run } = scriptedAgent({
      tools: [
        fakeTool({ name: "good", result: "kept" }),
        fakeTool({ name: "throws", result: new Error("it broke") }),
        fakeTool({ name: "aborts", result: new DOMException("left", "AbortError") }),
      ],
      script: [calls("throws", "good", "aborts"), "done"],
    });
    const finished = await run();
    expect(finished.status).toBe("completed");
    expect(resultsOf(finished).map(({ toolCallId, status }) => [toolCallId, status])).toEqual([
      ["a", "failed"],
      ["b", "ok"],
      ["c", "failed"],
    ]);
    expect(toolText(resultsOf(finished)[0] as never)).toBe("The tool throws failed: it broke");
    expect(checkHistory(finished.messages)).toEqual([]);
  });

  test.each([
    ["nothing", undefined],
    ["a text", "out of paper"],
    ["an object", { code: 1 }],
  ])("may throw %s", async (_, thrown) => {
    const tool = fakeTool({
      name: "odd",
      execute: () => {
        throw thrown;
      },
    });
    const { run } = scriptedAgent({ tools: [tool], script: [calls("odd"), "done"] });
    const [result] = resultsOf(await run());
    expect(result?.status).toBe("failed");
    expect(toolText(result as never)).toMatch(/^The tool odd failed: .+/);
  });

  test("because a store that it needs is broken ends the run, and what the others gave is kept (AL-05)", async () => {
    const good = fakeTool({ name: "good", result: "kept" });
    const bulky = fakeTool({
      name: "bulky",
      result: "x".repeat(50),
      policy: { effect: "none", artifactAboveChars: 10 },
    });
    const { run } = scriptedAgent({ tools: [good, bulky], script: [calls("good", "bulky")] });
    const { error, run: partial } = await failureOf(run());
    expect(error.code).toBe("invalid_request");
    expect(resultsOf(partial).map(({ status }) => status)).toEqual(["ok", "not_run"]);
    expect(checkHistory(partial.messages)).toEqual([]);
  });
});

describe("the limit of tool calls", () => {
  test("stops a batch before the first call too many, in call order (LIM-02, LOOP-08)", async () => {
    const tool = fakeTool({ name: "t" });
    const { run } = scriptedAgent({ tools: [tool], limits: { maxToolCalls: 2 }, script: [calls("t", "t", "t")] });
    const { error, run: partial } = await failureOf(run());
    expect(error).toMatchObject({ code: "limit_exceeded", details: { limit: "maxToolCalls", allowed: 2 } });
    expect(tool.calls.map(({ callId }) => callId)).toEqual(["a", "b"]);
    expect(resultsOf(partial).map(({ status }) => status)).toEqual(["ok", "ok", "not_run"]);
    expect(checkHistory(partial.messages)).toEqual([]);
  });
});

async function requestAfter(order: readonly number[], maxConcurrency = 4): Promise<string> {
  const { tools, open } = gates(4);
  const { run, model, clock } = scriptedAgent({
    tools,
    limits: { maxConcurrency },
    script: [calls("t0", "t1", "t2", "t3"), "done"],
  });
  const running = run();
  if (maxConcurrency === 4) await Promise.all(tools.map((tool) => tool.called()));
  for (const index of order) {
    open(index);
    await clock.advance(1);
  }
  await running;
  const { messages } = model.requests[1] as ModelRequest;
  const timeless = messages.map((message) => (message.role === "tool" ? { ...message, elapsedMs: 0 } : message));
  return canonicalJson({ ...model.requests[1], messages: timeless });
}
