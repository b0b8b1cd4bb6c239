import { type ShortTermMemory, TinyAgentsError, userMessage } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { eventRecorder, failAt, fakeTool, hangingTool, type ScriptEntry, scriptedModel } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";
import { failureOf } from "../support/failures.js";
import { threads } from "../support/threads.js";
import { transcript } from "../support/transcript.js";

const known = { t: { v: 1, messages: [userMessage("I am Ann.")] } } as const;

function agentWith(memory: ShortTermMemory, script: readonly ScriptEntry[], more: object = {}) {
  return createAgent({ name: "a", system: "Be kind.", model: scriptedModel(script), memory, ...more });
}

describe("the memory of a thread", () => {
  test("is there in its next run, and in no other thread (MEM-01, MEM-02)", async () => {
    const memory = threads();
    const model = scriptedModel(["Hello Ann.", "You are Ann.", "I do not know."]);
    const agent = createAgent({ name: "a", system: "Be kind.", model, memory });
    await agent.invoke("I am Ann.", { threadId: "t1" });
    const second = await agent.invoke("Who am I?", { threadId: "t1" });
    await agent.invoke("Who am I?", { threadId: "t2" });
    expect(model.requests.map(({ messages }) => transcript(messages))).toEqual([
      ["system: Be kind.", "user: I am Ann."],
      ["system: Be kind.", "user: I am Ann.", "assistant: Hello Ann.", "user: Who am I?"],
      ["system: Be kind.", "user: Who am I?"],
    ]);
    expect(transcript(second.newMessages)).toEqual(["user: Who am I?", "assistant: You are Ann."]);
  });

  test("holds no instructions: those are the agent's (MEM-02)", async () => {
    const memory = threads();
    await agentWith(memory, ["Hello."]).invoke("Hi.", { threadId: "t" });
    expect(memory.saves[0]?.state.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
  });

  test("is not touched by a run without a thread (MEM-02)", async () => {
    const touched: string[] = [];
    const memory: ShortTermMemory = {
      load: async (threadId) => {
        touched.push(threadId);
        return undefined;
      },
      save: async (threadId) => {
        touched.push(threadId);
        return "1";
      },
    };
    expect((await agentWith(memory, ["Hello."]).invoke("Hi.")).text).toBe("Hello.");
    expect(touched).toEqual([]);
  });

  test("is loaded before anything else and saved once, when the answer is there (MEM-03)", async () => {
    const trace: string[] = [];
    const inner = threads();
    const memory: ShortTermMemory = {
      load: async (threadId) => {
        trace.push("load");
        return inner.load(threadId);
      },
      save: async (threadId, state, options) => {
        trace.push("save");
        return inner.save(threadId, state, options);
      },
    };
    const middleware = [
      {
        name: "m",
        beforeAgent: () => void trace.push("beforeAgent"),
        beforeModel: () => void trace.push("beforeModel"),
        afterAgent: () => void trace.push("afterAgent"),
      },
    ];
    const tools = [fakeTool({ name: "look" })];
    const events = eventRecorder();
    await agentWith(memory, [{ toolCalls: [{ name: "look" }] }, "Fog."], { middleware, tools, events }).invoke("Hi.", {
      threadId: "t",
    });
    expect(trace).toEqual(["load", "beforeAgent", "beforeModel", "beforeModel", "afterAgent", "save"]);
    expect(events.types().slice(0, 2)).toEqual(["run.started", "memory.loaded"]);
    expect(events.types().slice(-2)).toEqual(["memory.saved", "run.completed"]);
  });

  test("that was damaged answers its next turn (MEM-02)", async () => {
    const events = eventRecorder();
    const broken = {
      v: 1,
      messages: [
        userMessage("Look."),
        { role: "assistant", content: [{ type: "tool_call", id: "c", name: "look", args: {} }] },
      ],
    } as const;
    const run = await agentWith(threads({ t: broken }), ["Fine."], { events }).invoke("And?", { threadId: "t" });
    expect(run.text).toBe("Fine.");
    expect(events.ofType("history.repaired")[0]?.data.problems).toMatchObject([
      { type: "unanswered_call", callId: "c" },
    ]);
    expect(transcript(run.newMessages)).toEqual(["user: And?", "assistant: Fine."]);
  });
});

describe("a run that does not succeed leaves the thread as it was", () => {
  const refused = new TinyAgentsError("provider_auth", "no", { details: { provider: "test" } });

  test.each<[string, readonly ScriptEntry[], object]>([
    ["a model fails", [{ error: refused }], {}],
    ["a limit is hit", [], { limits: { maxModelCalls: 0 } }],
    [
      "a hook fails after the answer",
      ["Hello."],
      { middleware: [{ name: "m", afterAgent: () => Promise.reject(new Error("x")) }] },
    ],
  ])("when %s (MEM-03)", async (_, script, more) => {
    const memory = threads(known);
    await failureOf(agentWith(memory, script, more).invoke("Hi.", { threadId: "t" }));
    expect(memory.saves).toEqual([]);
    expect((await memory.load("t"))?.state).toEqual(known.t);
  });

  test("when it is cancelled, in a tool or just before it would be saved (MEM-03)", async () => {
    const memory = threads(known);
    const hanging = hangingTool({ name: "hang" });
    const controller = new AbortController();
    const running = failureOf(
      agentWith(memory, [{ toolCalls: [{ name: "hang" }] }], { tools: [hanging] }).invoke("Hi.", {
        threadId: "t",
        signal: controller.signal,
      }),
    );
    await hanging.called();
    controller.abort();
    await running;
    const late = new AbortController();
    const middleware = [{ name: "m", afterAgent: () => late.abort() }];
    await failureOf(
      agentWith(memory, ["Hello."], { middleware }).invoke("Hi.", { threadId: "t", signal: late.signal }),
    );
    expect(memory.saves).toEqual([]);
  });

  test("when it pauses; it is saved when the run has gone on to its end (MEM-03)", async () => {
    const memory = threads(known);
    const tools = [fakeTool({ name: "pay", policy: { approval: "always" } })];
    const more = { tools, approver: { decide: () => "ask" } };
    const agent = agentWith(memory, [{ toolCalls: [{ name: "pay" }] }, "Paid."], more);
    const paused = await agent.invoke("Pay.", { threadId: "t" });
    expect([paused.status, memory.saves.length]).toEqual(["paused", 0]);
    await agent.resume(JSON.parse(JSON.stringify(paused.state)), {
      answers: { [paused.requests[0]?.id ?? ""]: { approve: true } },
    });
    expect(transcript(memory.saves[0]?.state.messages ?? [])[0]).toBe("user: I am Ann.");
    expect(memory.saves).toHaveLength(1);
  });
});

describe("memory that fails", () => {
  const broken = (what: "load" | "save"): ShortTermMemory => ({
    ...threads(),
    [what]: async () => {
      throw new Error("disk full");
    },
  });

  test.each(["load", "save"] as const)(
    "to %s ends the run with an error that names the thread (MEM-01)",
    async (operation) => {
      const { error } = await failureOf(agentWith(broken(operation), ["Hello."]).invoke("Hi.", { threadId: "t" }));
      expect(error).toMatchObject({ code: "memory_failed", details: { threadId: "t", operation } });
      expect(error.message).toContain("disk full");
    },
  );

  test("to save an answer keeps it in the error's run, which can save it later without asking again (MEM-03)", async () => {
    const inner = threads();
    const { subject } = failAt(inner, 1);
    const agent = agentWith(subject, ["Hello."]);
    const { error, run } = await failureOf(agent.invoke("Hi.", { threadId: "t" }));
    expect([error.code, run.text]).toEqual(["store_failed", "Hello."]);
    const resumed = await agent.resume(JSON.parse(JSON.stringify(run.state)));
    expect([resumed.status, inner.saves.length]).toEqual(["completed", 1]);
  });

  test("refuses the second of two runs that began from the same state, and keeps the first (MEM-01)", async () => {
    const memory = threads(known);
    let open = (): void => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const slow = agentWith(memory, [{ text: "slow", gate }]).invoke("One.", { threadId: "t" });
    await agentWith(memory, ["fast"]).invoke("Two.", { threadId: "t" });
    open();
    expect((await failureOf(slow)).error).toMatchObject({ code: "conflict", details: { expected: "1", found: "2" } });
    expect(transcript((await memory.load("t"))?.state.messages ?? []).at(-1)).toBe("assistant: fast");
  });
});

describe("trimming what a thread keeps", () => {
  test("is off unless a middleware does it (MEM-04)", async () => {
    const memory = threads();
    const agent = agentWith(memory, Array(20).fill("Yes."));
    for (let turn = 0; turn < 20; turn++) await agent.invoke("Still there?", { threadId: "t" });
    expect(memory.saves.at(-1)?.state.messages).toHaveLength(40);
  });

  test("may be done on load, for the run and from then on (MEM-04)", async () => {
    const long = { t: { v: 1, messages: Array.from({ length: 9 }, (_, at) => userMessage(`line ${at}`)) } } as const;
    const memory = threads(long);
    const trim = {
      name: "trim",
      beforeAgent: () => ({ history: { from: 1, to: 9, messages: [userMessage("[8 lines]")] } }),
    };
    const run = await agentWith(memory, ["Fine."], { middleware: [trim] }).invoke("Hi.", { threadId: "t" });
    expect(transcript(run.messages)).toEqual([
      "system: Be kind.",
      "user: [8 lines]",
      "user: line 8",
      "user: Hi.",
      "assistant: Fine.",
    ]);
    expect(memory.saves[0]?.state.messages).toHaveLength(4);
    expect(transcript(run.newMessages)).toEqual(["user: Hi.", "assistant: Fine."]);
  });
});
