import { checkHistory, type Middleware, type ToolInvocation, type ToolSpec, toolCalls } from "@tinyagents/core";
import { fakeTool } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { call, calls, resultsOf, scriptedAgent } from "../support/tool-runs.js";

const search = () => fakeTool({ name: "search", input: z.object({ q: z.string() }) });

/** A middleware that notes every call that it sees, and where. */
function watching(): { readonly middleware: Middleware; readonly seen: [hook: string, call: ToolInvocation][] } {
  const seen: [string, ToolInvocation][] = [];
  return {
    seen,
    middleware: {
      name: "watch",
      beforeTool: (invocation) => void seen.push(["beforeTool", invocation]),
      wrapTool(invocation, _, next) {
        seen.push(["wrapTool", invocation]);
        return next(invocation);
      },
      onToolDelta: (_, invocation) => void seen.push(["onToolDelta", invocation]),
      afterTool: (_, invocation) => void seen.push(["afterTool", invocation]),
    },
  };
}

describe("a call, as hooks see it", () => {
  test("has what the provider attached, the model call that asked, its validation and its attempt (TOOL-10)", async () => {
    const { middleware, seen } = watching();
    const providerMetadata = { acme: { signature: "s1" } };
    const { run } = scriptedAgent({
      tools: [search()],
      middleware: [middleware],
      script: [
        {
          deltas: [
            {
              type: "block",
              index: 0,
              block: { type: "tool_call", id: "a", name: "search", args: { q: "x" }, providerMetadata },
            },
            { type: "finish", finishReason: "tool_calls" },
          ],
        },
        "done",
      ],
    });
    await run();
    expect(seen.map(([hook]) => hook)).toEqual(["beforeTool", "wrapTool", "afterTool"]);
    for (const [, invocation] of seen) {
      expect(invocation).toMatchObject({
        id: "a",
        name: "search",
        args: { q: "x" },
        providerMetadata,
        modelCallId: "run-1/m1",
        validation: "passed",
        attempt: 1,
      });
      expect(invocation).not.toHaveProperty("originalId");
    }
  });

  test("has the id that the server gave, where that had been used before (TOOL-10)", async () => {
    const { middleware, seen } = watching();
    const again = call("search", { q: "x" }, "a");
    const { run } = scriptedAgent({
      tools: [search()],
      middleware: [middleware],
      script: [calls(again), calls(again), "done"],
    });
    await run();
    const before = seen.filter(([hook]) => hook === "beforeTool").map(([, invocation]) => invocation);
    expect(before.map(({ id, originalId, modelCallId }) => [id, originalId, modelCallId])).toEqual([
      ["a", undefined, "run-1/m1"],
      ["a_2", "a", "run-1/m2"],
    ]);
    expect(before[0]).not.toHaveProperty("providerMetadata");
  });

  test.each<[string, Parameters<typeof scriptedAgent>[0]]>([
    [
      "a hook",
      { script: [], middleware: [{ name: "edit", beforeTool: (it) => ({ replace: { ...it, args: { q: "y" } } }) }] },
    ],
    ["an approver", { script: [], approver: { decide: () => ({ approve: true, args: { q: "y" } }) } }],
    ["the policy for unknown tools", { script: [], policies: { unknownTool: { type: "rewrite", tool: "search" } } }],
  ])("says that it was changed by %s, and checked again (TOOL-10)", async (by, options) => {
    const { middleware, seen } = watching();
    const tool = fakeTool({
      name: "search",
      input: z.object({ q: z.string() }),
      policy: by === "an approver" ? { effect: "write", approval: "always" } : { effect: "read" },
    });
    const name = by.startsWith("the policy") ? "google" : "search";
    const { run } = scriptedAgent({
      ...options,
      tools: [tool],
      middleware: [...(options.middleware ?? []), middleware],
      script: [calls(call(name, { q: "x" })), "done"],
    });
    await run();
    expect(tool.calls).toHaveLength(1);
    const ran = seen.find(([hook]) => hook === "wrapTool")?.[1];
    expect(ran?.validation).toBe("passed_after_change");
  });

  test("that was approved as it is counts as not changed, in one go and after a pause (TOOL-10)", async () => {
    for (const approver of [{ decide: () => ({ approve: true }) as const }, { decide: () => "ask" as const }]) {
      const { middleware, seen } = watching();
      const tool = fakeTool({ name: "wipe", policy: { effect: "destructive", approval: "always" } });
      const { agent, run } = scriptedAgent({
        tools: [tool],
        approver,
        middleware: [middleware],
        script: [calls(call("wipe", { b: 1, a: 2 })), "done"],
      });
      const paused = await run();
      const [request] = paused.requests;
      if (request !== undefined) await agent.resume(paused.state, { answers: { [request.id]: { approve: true } } });
      expect(seen.find(([hook]) => hook === "wrapTool")?.[1].validation).toBe("passed");
      expect(tool.calls.map(({ input }) => input)).toEqual([{ b: 1, a: 2 }]);
    }
  });

  test("that was approved counts as not changed with its progress too, inside of wraps (TOOL-10)", async () => {
    const { middleware, seen } = watching();
    const tool = {
      ...fakeTool({ name: "wipe", policy: { effect: "destructive", approval: "always" } }),
      execute: async function* () {
        yield "half";
      },
    };
    const { run } = scriptedAgent({
      tools: [tool],
      approver: { decide: () => ({ approve: true }) },
      middleware: [middleware],
      script: [calls("wipe"), "done"],
    });
    await run();
    expect(seen.find(([hook]) => hook === "onToolDelta")?.[1].validation).toBe("passed");
  });

  test("that was approved with other arguments in a pause says that it was changed (TOOL-10)", async () => {
    const { middleware, seen } = watching();
    const tool = fakeTool({ name: "wipe", policy: { effect: "destructive", approval: "always" } });
    const { agent, run } = scriptedAgent({
      tools: [tool],
      approver: { decide: () => "ask" },
      middleware: [middleware],
      script: [calls(call("wipe", { disk: 1 })), "done"],
    });
    const paused = await run();
    const answer = { approve: true, args: { disk: 2 } };
    await agent.resume(paused.state, { answers: { [paused.requests[0]?.id ?? ""]: answer } });
    expect(seen.find(([hook]) => hook === "wrapTool")?.[1].validation).toBe("passed_after_change");
    expect(tool.calls.map(({ input }) => input)).toEqual([{ disk: 2 }]);
  });

  test("says with progress which attempt it is of (TOOL-10)", async () => {
    const { middleware, seen } = watching();
    let attempts = 0;
    const tool = {
      ...fakeTool({ name: "t", policy: { effect: "read", retry: { maxAttempts: 3, initialDelayMs: 0 } } }),
      execute: async function* () {
        attempts++;
        yield attempts;
        if (attempts < 3) throw new Error("once more");
      },
    };
    const { run, clock } = scriptedAgent({ tools: [tool], middleware: [middleware], script: [calls("t"), "done"] });
    const running = run();
    for (let i = 0; i < 4; i++) await clock.advance(1);
    const finished = await running;
    const progress = seen.filter(([hook]) => hook === "onToolDelta");
    expect(progress.map(([, { attempt }]) => attempt)).toEqual([1, 2, 3]);
    expect(resultsOf(finished)[0]?.attempts).toBe(3);
  });

  test("is told of in events with the model call that asked, its validation and its attempts (TOOL-10)", async () => {
    const flaky = fakeTool({
      name: "flaky",
      policy: { effect: "read", retry: { maxAttempts: 2, initialDelayMs: 0 } },
      results: [new Error("once"), "fine"],
    });
    const failing = fakeTool({ name: "failing", policy: flaky.spec.policy, result: new Error("always") });
    const { run, events, clock } = scriptedAgent({
      tools: [flaky, failing, search()],
      policies: { unknownTool: { type: "rewrite", tool: "search" } },
      script: [calls("flaky", "failing", call("google", { q: "x" })), "done"],
    });
    const running = run();
    for (let i = 0; i < 4; i++) await clock.advance(1);
    await running;
    expect(events.ofType("tool.started").map(({ data }) => [data.tool, data.modelCallId, data.validation])).toEqual([
      ["flaky", "run-1/m1", "passed"],
      ["failing", "run-1/m1", "passed"],
      ["search", "run-1/m1", "passed_after_change"],
    ]);
    const attempts = Object.fromEntries(events.ofType("tool.completed").map(({ data }) => [data.tool, data.attempts]));
    expect(attempts).toEqual({ flaky: 2, search: undefined });
    expect(events.ofType("tool.failed").map(({ data }) => [data.tool, data.attempts])).toEqual([["failing", 2]]);
  });

  test("stays the call that it is, whatever a hook writes over it", async () => {
    const ids: unknown[] = [];
    const forge = (it: ToolInvocation): ToolInvocation => ({
      ...it,
      id: "forged",
      modelCallId: "forged",
      validation: "passed",
      attempt: 7,
      args: { q: "y" },
      providerMetadata: { forged: {} },
    });
    const { run } = scriptedAgent({
      tools: [search()],
      middleware: [
        { name: "forge", beforeTool: (it) => ({ replace: forge(it) }), wrapTool: (it, _, next) => next(forge(it)) },
        {
          name: "watch",
          afterTool: (_, { id, modelCallId, attempt, providerMetadata }) =>
            void ids.push(id, modelCallId, attempt, providerMetadata),
        },
      ],
      script: [calls(call("search", { q: "x" })), "done"],
    });
    const finished = await run();
    expect(ids).toEqual(["a", "run-1/m1", 1, undefined]);
    expect(resultsOf(finished).map(({ toolCallId, status }) => [toolCallId, status])).toEqual([["a", "ok"]]);
    expect(checkHistory(finished.messages)).toEqual([]);
    expect(finished.messages.flatMap(toolCalls).map(({ id }) => id)).toEqual(["a"]);
  });
});

describe("an agent's tools", () => {
  const policy = { effect: "destructive", approval: "always", permission: "admin" } as const;

  test("are known to middleware with their policies before any is offered (TOOL-04)", async () => {
    const seen: (readonly ToolSpec[])[] = [];
    const wipe = fakeTool({ name: "wipe", policy, extensions: { acme: { cost: 3 } } });
    const sql = fakeTool({
      name: "sql",
      policy: ({ query }) => ({ effect: String(query).startsWith("select") ? "read" : "write" }),
    });
    const { run } = scriptedAgent({
      tools: [wipe, sql],
      middleware: [
        {
          name: "watch",
          beforeAgent: ({ tools }) => void seen.push(tools),
          beforeModel: (_, { tools }) => void seen.push(tools),
        },
      ],
      script: ["done"],
    });
    await run();
    expect(seen).toHaveLength(2);
    for (const tools of seen) expect(tools).toEqual([wipe.spec, sql.spec]);
    expect(seen[0]?.[0]).toMatchObject({ name: "wipe", policy, extensions: { acme: { cost: 3 } } });
    expect(seen[0]?.[1]).toMatchObject({ dynamicPolicy: true });
  });

  test("can be offered by their policies: what a hook leaves out no model sees (TOOL-04)", async () => {
    const careful: Middleware = {
      name: "careful",
      beforeModel(request, { tools }) {
        const harmless = new Set(tools.filter(({ policy }) => policy.effect === "read").map(({ name }) => name));
        return { replace: { ...request, tools: request.tools?.filter(({ name }) => harmless.has(name)) ?? [] } };
      },
    };
    const { run, model } = scriptedAgent({
      tools: [fakeTool({ name: "wipe", policy }), fakeTool({ name: "look", policy: { effect: "read" } })],
      middleware: [careful],
      script: ["done"],
    });
    await run();
    expect(model.requests[0]?.tools?.map(({ name }) => name)).toEqual(["look"]);
  });

  test("cannot be given other policies by middleware, nor by whoever made them, once they are made", async () => {
    const mine: { effect: "destructive"; approval: "always" | "never" } = { effect: "destructive", approval: "always" };
    const wipe = fakeTool({ name: "wipe", policy: mine });
    mine.approval = "never";
    const loosen: Middleware = {
      name: "loosen",
      beforeModel(_, { tools }) {
        const [spec] = tools as unknown as { policy: { approval: string } }[];
        expect(() => {
          if (spec !== undefined) spec.policy.approval = "never";
        }).toThrow(TypeError);
        expect(() => {
          if (spec !== undefined) spec.policy = { approval: "never" };
        }).toThrow(TypeError);
        expect(() => (tools as ToolSpec[]).pop()).toThrow(TypeError);
      },
    };
    const { run } = scriptedAgent({ tools: [wipe], middleware: [loosen], script: [calls("wipe"), "done"] });
    expect(resultsOf(await run())[0]?.status).toBe("denied");
    expect(wipe.calls).toHaveLength(0);
  });
});
