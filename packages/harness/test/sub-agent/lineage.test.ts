import { type RunContext, storeRegistry, TinyAgentsError } from "@tinyagents/core";
import { type AgentOptions, createAgent } from "@tinyagents/harness";
import { eventRecorder, fakeTool, hangingTool, scriptedModel, testSurroundings } from "@tinyagents/testkit";
import { describe, expect, test, vi } from "vitest";
import { endProblems } from "../support/end-problems.js";
import { failureOf } from "../support/failures.js";
import { resultStatuses, transcript } from "../support/transcript.js";

const ask = (name: string, task = "Look.") => ({ toolCalls: [{ name, args: { task } }] });

/** A parent whose one tool is the child. */
function parentOf(child: ReturnType<typeof createAgent>, options: Partial<AgentOptions> = {}) {
  return createAgent({
    name: "parent",
    model: scriptedModel([ask(child.name), "done"]),
    tools: [child.asTool({ description: "Looks at things." })],
    ...options,
  });
}

describe("an agent as a tool", () => {
  test("is asked with a task in words, answers with its text, and starts with a history of its own (SUB-02)", async () => {
    const model = scriptedModel(["There is fog."]);
    const child = createAgent({ name: "child", system: "You look.", model });
    const run = await parentOf(child).invoke("What is there?");
    expect(transcript(model.requests[0]?.messages ?? [])).toEqual(["system: You look.", "user: Look."]);
    expect(transcript(run.messages)).toEqual([
      "user: What is there?",
      'assistant: child#call_1({"task":"Look."})',
      "tool: child#call_1 ok There is fog.",
      "assistant: done",
    ]);
  });

  test("has a name that tools may have, a schema with its task, and the policy it is given (SUB-02)", () => {
    const child = createAgent({ name: "the child, no. 2", model: scriptedModel([]) });
    const { spec } = child.asTool({ description: "Looks.", policy: { effect: "read" } });
    expect(spec).toMatchObject({ name: "the_child__no__2", description: "Looks.", policy: { effect: "read" } });
    expect(spec.inputSchema).toMatchObject({ required: ["task"] });
    expect(child.asTool({ name: "looker", description: "Looks." }).spec.name).toBe("looker");
  });

  test("that answers in a structure gives its value (SUB-02)", async () => {
    const output = { type: "object", properties: { fog: { type: "boolean" } }, required: ["fog"] };
    const child = createAgent({ name: "child", model: scriptedModel(['{"fog":true}']), output });
    const run = await parentOf(child).invoke("Go.");
    expect(run.messages.at(-2)).toMatchObject({ content: [{ type: "json", value: { fog: true } }] });
  });

  test("that fails tells its parent's model why, and the parent goes on (SUB-02)", async () => {
    const error = new TinyAgentsError("provider_auth", "The key was refused.", { details: { provider: "test" } });
    const child = createAgent({ name: "child", model: scriptedModel([{ error }]) });
    const run = await parentOf(child).invoke("Go.");
    expect(run.status).toBe("completed");
    expect(transcript(run.messages)[2]).toBe("tool: child#call_1 failed The key was refused.");
  });

  test("is asked no deeper than the limit: the model is told, and no run begins (SUB-01)", async () => {
    const leaf = createAgent({ name: "leaf", model: scriptedModel(["never"]) });
    const middle = parentOf(leaf, { name: "middle" });
    const events = eventRecorder();
    const run = await parentOf(middle, { limits: { maxDepth: 1 }, events }).invoke("Go.");
    expect(run.status).toBe("completed");
    expect(events.ofType("sub_agent.started")).toHaveLength(1);
    expect(events.ofType("tool.failed")[0]?.data).toMatchObject({ tool: "leaf", error: { code: "recursion_limit" } });
    const none = await parentOf(createAgent({ name: "child", model: scriptedModel([]) }), {
      limits: { maxDepth: 0 },
    }).invoke("Go.");
    expect(resultStatuses(none.messages)).toEqual(["child#call_1 failed"]);
  });
});

describe("a run below another", () => {
  test("has an id of its own, and names its parent and the top of the tree (SUB-01, EVT-09, EVT-11)", async () => {
    const events = eventRecorder();
    const leaf = createAgent({ name: "leaf", model: scriptedModel(["deep"]) });
    const middle = parentOf(leaf, { name: "middle" });
    await parentOf(middle, { events }).invoke("Go.", { runId: "r", threadId: "t", tags: ["x"] });
    const middleId = "r/call_1";
    const leafId = "r/call_1/call_1";
    expect(events.ofRun("r")[0]).toMatchObject({ rootRunId: "r", component: "parent", tags: ["x"] });
    expect(events.ofRun(middleId)[0]).toMatchObject({
      rootRunId: "r",
      parentRunId: "r",
      component: "middle",
      tags: ["x"],
    });
    expect(events.ofRun(leafId)[0]).toMatchObject({ rootRunId: "r", parentRunId: middleId, component: "leaf" });
    expect(new Set(events.events.map(({ threadId }) => threadId))).toEqual(new Set(["t"]));
    expect(events.ofType("sub_agent.started").map(({ runId, data }) => [runId, data])).toEqual([
      ["r", { childRunId: middleId, agent: "middle", callId: "call_1", depth: 1 }],
      [middleId, { childRunId: leafId, agent: "leaf", callId: "call_1", depth: 2 }],
    ]);
    expect(events.ofType("sub_agent.completed").map(({ runId, data }) => [runId, data.status])).toEqual([
      [middleId, "completed"],
      ["r", "completed"],
    ]);
    expect(endProblems(events.events)).toEqual([]);
  });

  test("inherits data, stores, clock, ids, chance, events, recorder, tags, metadata and settings (CTX-03)", async () => {
    const seen: RunContext[] = [];
    const look = fakeTool({ name: "look", execute: async (_input, { run }) => void seen.push(run) });
    const child = createAgent({
      name: "child",
      model: scriptedModel([{ toolCalls: [{ name: "look" }] }, "fog"]),
      tools: [look],
    });
    const parent = createAgent({
      name: "parent",
      model: scriptedModel([{ toolCalls: [{ name: "look" }] }, ask("child"), "done"]),
      tools: [look, child.asTool({ description: "Looks." })],
    });
    const surroundings = testSurroundings();
    const stores = storeRegistry({});
    const has = vi.spyOn(stores, "has").mockImplementation((namespace) => namespace === "given");
    const options = {
      ...surroundings,
      data: { user: "ann" },
      stores,
      tags: ["x"],
      metadata: { team: 1 },
      configurable: { flag: true },
    };
    await parent.invoke("Go.", options);
    const [above, below] = seen;
    for (const key of ["data", "clock", "ids", "random", "events"] as const) {
      expect(below?.[key], key).toBe(above?.[key]);
    }
    // Each run has its own view of them, which tells its events.
    expect(below?.stores.has("given")).toBe(true);
    expect(has).toHaveBeenCalledOnce();
    for (const key of ["tags", "metadata", "configurable"] as const) {
      expect(below?.config[key], key).toEqual(options[key]);
    }
    expect([above?.config.depth, below?.config.depth]).toEqual([0, 1]);
  });

  test("has stores of its own agent where that has some, and its parent's where not (CTX-03)", async () => {
    const seen: RunContext[] = [];
    const look = fakeTool({ name: "look", execute: async (_input, { run }) => void seen.push(run) });
    const [above, own] = [storeRegistry({}), storeRegistry({})];
    const child = (stores?: typeof own) =>
      createAgent({
        name: "child",
        model: scriptedModel([{ toolCalls: [{ name: "look" }] }, "fog"]),
        tools: [look],
        stores,
      });
    await parentOf(child(own), { stores: above }).invoke("Go.");
    await parentOf(child(), { stores: above }).invoke("Go.");
    expect([seen[0]?.stores === own, seen[1]?.stores === above]).toEqual([true, true]);
  });

  test("is told of to whoever watches its parent, and to a sink of its own agent, once each (CTX-03, EVT-12)", async () => {
    const [top, own] = [eventRecorder(), eventRecorder()];
    const leaf = createAgent({ name: "leaf", model: scriptedModel(["deep"]), events: top });
    const middle = parentOf(leaf, { name: "middle", events: own });
    await parentOf(middle, { events: top }).invoke("Go.", { runId: "r" });
    const begun = (events: typeof top) => events.ofType("run.started").map(({ component }) => component);
    expect(begun(top)).toEqual(["parent", "middle", "leaf"]);
    expect(begun(own)).toEqual(["middle", "leaf"]);
    expect(new Set(top.events.map(({ id }) => id)).size).toBe(top.events.length);
  });

  test("may have tags and metadata added, which it and those below it have, and nobody else (CTX-04, EVT-11)", async () => {
    const events = eventRecorder();
    const leaf = createAgent({ name: "leaf", model: scriptedModel(["deep"]) });
    const middle = parentOf(leaf, { name: "middle" });
    const parent = createAgent({
      name: "parent",
      model: scriptedModel([ask("middle"), ask("plain"), "done"]),
      tools: [
        middle.asTool({ description: "x", tags: ["local", "x"], metadata: { team: 2, route: "north" } }),
        createAgent({ name: "plain", model: scriptedModel(["ok"]) }).asTool({ description: "x" }),
      ],
    });
    const given = Object.freeze({ tags: Object.freeze(["x"]), metadata: Object.freeze({ team: 1, of: "us" }) });
    const run = await parent.invoke("Go.", { ...given, runId: "r", events });
    const begun = events.ofType("run.started").map(({ component, tags, metadata }) => ({ component, tags, metadata }));
    const inherited = { tags: ["x"], metadata: { team: 1, of: "us" } };
    const local = { tags: ["x", "local"], metadata: { team: 2, of: "us", route: "north" } };
    expect(begun).toEqual([
      { component: "parent", ...inherited },
      { component: "middle", ...local },
      { component: "leaf", ...local },
      { component: "plain", ...inherited },
    ]);
    expect(run.config).toMatchObject(inherited);
    expect(given).toEqual(inherited);
  });

  test("is refused tags and metadata that are none when it is made (CTX-04)", () => {
    const child = createAgent({ name: "child", model: scriptedModel([]) });
    const tool = (options: object) => () => child.asTool({ description: "x", ...options });
    expect(tool({ tags: "x" })).toThrow(new TypeError("asTool: tags: a list of texts is expected"));
    expect(tool({ tags: [1] })).toThrow(TypeError);
    expect(tool({ metadata: ["x"] })).toThrow(new TypeError("asTool: metadata: an object is expected"));
  });

  test("leaves its parent's config as it was, also a frozen one (CTX-04)", async () => {
    const child = createAgent({ name: "child", model: scriptedModel(["fog"]), limits: { maxModelCalls: 2 } });
    const parent = parentOf(child);
    let state = parent.initialState("Go.", { tags: ["x"], metadata: { a: 1 } });
    const before = JSON.stringify(state.config);
    for (const part of [state.config, state.config.tags, state.config.metadata, state.config.limits])
      Object.freeze(part);
    while (state.phase !== "done") state = await parent.step(state);
    expect(JSON.stringify(state.config)).toBe(before);
  });

  test("is cancelled with its parent, and both end once (SUB-01)", async () => {
    const events = eventRecorder();
    const hanging = hangingTool({ name: "hang" });
    const child = createAgent({
      name: "child",
      model: scriptedModel([{ toolCalls: [{ name: "hang" }] }]),
      tools: [hanging],
    });
    const controller = new AbortController();
    const running = failureOf(parentOf(child, { events }).invoke("Go.", { signal: controller.signal }));
    await hanging.called();
    controller.abort();
    expect((await running).error.code).toBe("cancelled");
    expect(hanging.aborted).toBe(1);
    expect(events.ofType("run.failed").map(({ data }) => data.error.code)).toEqual(["cancelled", "cancelled"]);
    expect(events.ofType("sub_agent.completed").map(({ data }) => data.status)).toEqual(["failed"]);
    expect(endProblems(events.events)).toEqual([]);
  });

  test("remembers nothing of its thread: memory is the parent's (MEM-02)", async () => {
    const touched: string[] = [];
    const memory = {
      load: async (threadId: string) => {
        touched.push(threadId);
        return undefined;
      },
      save: async () => "1",
    };
    const child = createAgent({ name: "child", model: scriptedModel(["fog"]), memory });
    await parentOf(child, { memory }).invoke("Go.", { threadId: "t" });
    expect(touched).toEqual(["t"]);
  });

  test("may have no more than what is left of its parent's limits, nor more than its own (CTX-03, CTX-07)", async () => {
    const seen: RunContext[] = [];
    const look = fakeTool({ name: "look", execute: async (_input, { run }) => void seen.push(run) });
    const child = createAgent({
      name: "child",
      model: scriptedModel([{ toolCalls: [{ name: "look" }] }, "fog"]),
      tools: [look],
      limits: { maxConcurrency: 4, maxResultChars: 10, maxTotalTokens: 1_000, maxToolCalls: 3 },
    });
    const { clock } = testSurroundings();
    const parent = createAgent({
      name: "parent",
      model: scriptedModel([{ ...ask("child"), usage: { inputTokens: 30, outputTokens: 10 }, delayMs: 200 }, "done"], {
        clock,
      }),
      tools: [child.asTool({ description: "Looks." })],
      limits: {
        maxModelCalls: 5,
        maxToolCalls: 50,
        maxConcurrency: 2,
        maxTotalTokens: 100,
        wallClockMs: 1_000,
        toolTimeoutMs: 700,
      },
    });
    const running = parent.invoke("Go.", { clock });
    await clock.advance(200);
    await look.called();
    await clock.advance(1);
    await running;
    expect(seen[0]?.config.limits).toMatchObject({
      maxModelCalls: 4,
      maxToolCalls: 3,
      maxConcurrency: 2,
      maxResultChars: 10,
      maxTotalTokens: 60,
      wallClockMs: 800,
      toolTimeoutMs: 700,
      maxDepth: 4,
    });
  });

  test("that hits the limit that its parent left it tells the parent's model (SUB-02, CTX-07)", async () => {
    const child = createAgent({
      name: "child",
      model: scriptedModel([
        { text: "x", toolCalls: [{ name: "look" }], usage: { inputTokens: 90, outputTokens: 20 } },
      ]),
      tools: [fakeTool({ name: "look" })],
    });
    const parent = parentOf(child, { limits: { maxTotalTokens: 100 } });
    const { error, run } = await failureOf(parent.invoke("Go."));
    expect(error).toMatchObject({ code: "limit_exceeded", details: { limit: "maxTotalTokens" } });
    expect(resultStatuses(run.messages)).toEqual(["child#call_1 failed"]);
    expect(run.treeUsage.totalTokens).toBe(110);
  });
});
