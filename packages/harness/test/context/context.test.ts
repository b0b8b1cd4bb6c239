import { type RunContext, type StoreRegistry, storeRegistry, type ToolRuntime } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { fakeTool, scriptedModel } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";

const script = [{ toolCalls: [{ name: "look", args: { at: "sea" } }] }, "fog"];

/** Runs with a tool that notes what it is given, in an agent that can be used many times. */
function watching() {
  const seen: ToolRuntime[] = [];
  const look = fakeTool({ name: "look", execute: async (_input, runtime) => void seen.push(runtime) });
  const answer = scriptedModel(
    Array.from(
      { length: 20 },
      () =>
        ({ messages }) =>
          messages.at(-1)?.role === "tool" ? "fog" : (script[0] as object),
    ),
  );
  return { seen, model: answer, agent: createAgent({ name: "a", model: answer, tools: [look] }) };
}

describe("who a run is", () => {
  test("is plain data: it survives JSON, whatever was given (CTX-01)", async () => {
    const { agent } = watching();
    const run = await agent.invoke("Go.", {
      runId: "r",
      threadId: "t",
      tags: ["x"],
      metadata: { team: 1 },
      configurable: { route: "north" },
      limits: { maxModelCalls: 3, maxToolCalls: 5, maxConcurrency: 2, wallClockMs: 60_000 },
    });
    expect(JSON.parse(JSON.stringify(run.config))).toEqual(run.config);
    expect(run.config).toMatchObject({
      runId: "r",
      rootRunId: "r",
      threadId: "t",
      depth: 0,
      tags: ["x"],
      metadata: { team: 1 },
      configurable: { route: "north" },
      limits: { maxModelCalls: 3, maxToolCalls: 5, maxConcurrency: 2, wallClockMs: 60_000 },
    });
    expect(run.config).not.toHaveProperty("parentRunId");
  });

  test("has a new id each time, unless it is given one (CTX-01)", async () => {
    const { agent } = watching();
    const ids = await Promise.all([agent.invoke("Go."), agent.invoke("Go.")]);
    expect(new Set(ids.map(({ runId }) => runId)).size).toBe(2);
  });
});

describe("what surrounds a run", () => {
  test("reaches its tools: data, stores, config, signal, usage (CTX-02, CTX-05)", async () => {
    const { agent, seen } = watching();
    const stores = storeRegistry({});
    await agent.invoke("Go.", { data: { user: "ann" }, stores, metadata: { team: 1 } });
    expect(seen[0]?.data).toEqual({ user: "ann" });
    expect(seen[0]?.run.data).toBe(seen[0]?.data);
    expect(seen[0]?.run.stores).toBe(stores);
    expect(seen[0]?.run.config.metadata).toEqual({ team: 1 });
    expect(seen[0]?.run.signal.aborted).toBe(false);
    expect(seen[0]?.run.usage.modelCalls).toBe(2);
  });

  test("tells its tools what it has used and what it cost, runs below included (CTX-02, CST-06)", async () => {
    const told: unknown[] = [];
    const look = fakeTool({
      name: "look",
      execute: async (_input, { run: { usage, treeUsage, cost } }) =>
        void told.push([usage.totalTokens, treeUsage.totalTokens, cost?.amount]),
    });
    const usage = { inputTokens: 3, outputTokens: 1 };
    const child = createAgent({ name: "child", model: scriptedModel(["ok"], { usage }) });
    const turn = (name: string) => ({ toolCalls: [{ name, args: { task: "x" } }] });
    const prices = {
      priceOf: () => ({ currency: "USD", inputPerMillion: "1000000", outputPerMillion: "1000000" }),
    };
    await createAgent({
      name: "a",
      model: scriptedModel([turn("look"), turn("child"), turn("look"), "done"], { usage }),
      tools: [look, child.asTool({ description: "x" })],
      prices,
    }).invoke("Go.");
    await createAgent({ name: "a", model: scriptedModel([turn("look"), "done"], { usage }), tools: [look] }).invoke(
      "Go.",
    );
    expect(told).toEqual([
      [4, 4, "4"],
      [12, 16, "16"],
      [4, 4, undefined],
    ]);
  });

  test("says what is missing when a run without stores is asked for them (CTX-02)", async () => {
    const { agent, seen } = watching();
    await agent.invoke("Go.");
    expect(() => seen[0]?.run.stores).toThrow(expect.objectContaining({ code: "invalid_request" }));
  });

  test("is not shared between runs at once: each has its own data, config, stores and counts (CTX-02)", async () => {
    const contexts = new Map<string, RunContext>();
    const look = fakeTool({
      name: "look",
      execute: async (_input, { run }) => {
        contexts.set(run.config.runId, run);
        await new Promise((resolve) => setImmediate(resolve));
        return `${(run.data as { readonly name: string }).name} in ${run.config.runId}`;
      },
    });
    const model = scriptedModel(
      Array.from({ length: 8 }, () => ({ messages }) => {
        const last = messages.at(-1);
        return last?.role === "tool" ? JSON.stringify(last.content) : { toolCalls: [{ name: "look" }] };
      }),
    );
    const agent = createAgent({ name: "a", model, tools: [look] });
    const names = ["ann", "bob", "cid", "dee"];
    const registries = new Map<string, StoreRegistry>(names.map((name) => [name, storeRegistry({})]));
    const runs = await Promise.all(
      names.map((name) => agent.invoke("Go.", { runId: name, data: { name }, stores: registries.get(name) })),
    );
    for (const run of runs) {
      expect(run.text).toContain(`${run.runId} in ${run.runId}`);
      expect(contexts.get(run.runId)?.stores).toBe(registries.get(run.runId));
      expect(run.counters).toMatchObject({ modelCalls: 2, toolCalls: 1 });
    }
    expect(new Set(contexts.values()).size).toBe(4);
  });

  test("of a run stands before what the agent was made with (CTX-02)", async () => {
    const [ofAgent, ofRun] = [storeRegistry({}), storeRegistry({})];
    const seen: StoreRegistry[] = [];
    const look = fakeTool({ name: "look", execute: async (_input, { run }) => void seen.push(run.stores) });
    const agent = createAgent({
      name: "a",
      model: scriptedModel([...script, ...script]),
      tools: [look],
      stores: ofAgent,
    });
    await agent.invoke("Go.", { stores: ofRun });
    await agent.invoke("Go.");
    expect(seen).toEqual([ofRun, ofAgent]);
    expect([seen[0] === ofRun, seen[1] === ofAgent]).toEqual([true, true]);
  });
});

describe("private values", () => {
  test("of data, config and middleware state are in no request to a model (CTX-05)", async () => {
    const model = scriptedModel(script);
    const look = fakeTool({
      name: "look",
      input: {
        type: "object",
        properties: { at: { type: "string" }, secretToken: { type: "string" } },
        required: ["at", "secretToken"],
      },
      inject: { secretToken: ({ data }) => (data as { readonly token: string }).token },
    });
    const middleware = [{ name: "m", beforeModel: () => ({ state: { kept: "canary-state" } }) }];
    const agent = createAgent({ name: "a", model, tools: [look], middleware });
    await agent.invoke("Go.", {
      data: { token: "canary-data" },
      metadata: { note: "canary-metadata" },
      configurable: { flag: "canary-flag" },
      tags: ["canary-tag"],
      threadId: "canary-thread",
    });
    expect(look.calls[0]?.input).toEqual({ at: "sea", secretToken: "canary-data" });
    expect(JSON.stringify(model.requests)).not.toMatch(/canary|secretToken/);
  });
});

describe("input", () => {
  test("may be a text, a short message, a message, or a list of them: all give the same request (MSG-11)", async () => {
    const model = scriptedModel(Array(4).fill("ok"));
    const agent = createAgent({ name: "a", model });
    const block = { role: "user", content: [{ type: "text", text: "Go." }] } as const;
    await agent.invoke("Go.");
    await agent.invoke({ role: "user", content: "Go." });
    await agent.invoke(block);
    await agent.invoke([{ role: "user", content: "Go." }]);
    expect(model.requests.map(({ messages }) => messages)).toEqual(Array(4).fill([block]));
  });

  test.each([
    ["no role", { content: "x" }],
    ["a role that is none", { role: "robot", content: "x" }],
    ["no content", { role: "user" }],
  ])("with %s is refused at once, naming the place (MSG-11)", (_, message) => {
    const agent = createAgent({ name: "a", model: scriptedModel([]) });
    expect(() => agent.stream([{ role: "user", content: "fine" }, message as never])).toThrow(/^input\[1\]/);
  });
});

describe("policies are data", () => {
  test("that survives JSON and works the same when it is read back (MWH-08)", async () => {
    const policies = {
      retry: { maxAttempts: 2, initialDelayMs: 0, codes: ["provider_auth"] },
      unknownTool: { type: "return_error", message: "No such thing." },
      invalidArguments: { type: "return_error" },
      noProgress: { hintAfter: 1 },
      onLimit: "finalize",
      strictTools: false,
      cancelGraceMs: 10,
    } as const;
    expect(JSON.parse(JSON.stringify(policies))).toEqual(policies);
    const model = scriptedModel([{ toolCalls: [{ name: "nothing" }] }, "ok"]);
    const agent = createAgent({ name: "a", model, policies: JSON.parse(JSON.stringify(policies)) });
    const run = await agent.invoke("Go.");
    expect(run.messages.at(-2)).toMatchObject({ role: "tool", content: [{ text: "No such thing." }] });
  });

  test("of one run may be narrower or wider than the agent's, and are in its config (CTX-07)", async () => {
    const agent = createAgent({
      name: "a",
      model: scriptedModel(["ok"]),
      limits: { maxModelCalls: 5, maxToolCalls: 7 },
    });
    const { config } = await agent.invoke("Go.", { limits: { maxModelCalls: 9, maxTotalTokens: 50 } });
    expect(config.limits).toMatchObject({ maxModelCalls: 9, maxToolCalls: 7, maxTotalTokens: 50 });
    expect(() => agent.initialState("Go.", { limits: { maxModelCalls: -1 } })).toThrow(TypeError);
  });
});
