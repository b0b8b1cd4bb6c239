import { checkHistory, TinyAgentsError } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { fakeTool, hangingTool, scriptedModel, testSurroundings } from "@tinyagents/testkit";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { failureOf } from "../support/failures.js";
import { latch, quiet, stubbornModel } from "../support/stubborn.js";
import { threads } from "../support/threads.js";
import { resultStatuses } from "../support/transcript.js";

const NOTHING = z.object({});

describe("a run that is cancelled", () => {
  it("asks nobody when it was cancelled before it began (CTX-06)", async () => {
    const around = testSurroundings();
    const model = scriptedModel(["never"]);
    const memory = threads();
    const agent = createAgent({ name: "a", model, memory, ...around });
    const { error, run } = await failureOf(
      agent.invoke("go", { threadId: "t1", signal: AbortSignal.abort("no need") }),
    );
    expect(error).toMatchObject({
      code: "cancelled",
      details: { reason: "no need" },
      retryable: false,
      runId: "run-1",
    });
    expect(run).toMatchObject({ status: "failed", counters: { modelCalls: 0 } });
    expect(model.calls).toHaveLength(0);
    expect(memory.saves).toHaveLength(0);
    expect(around.events.types().at(-1)).toBe("run.failed");
    expect(around.clock.timers).toBe(0);
  });

  it("ends between two fragments of an answer, and closes the stream (CTX-06)", async () => {
    const around = testSurroundings();
    const controller = new AbortController();
    const model = scriptedModel([{ text: "one two three four five six" }], { split: [4, 4, 6, 5, 5] });
    const seen: string[] = [];
    const agent = createAgent({ name: "a", model, ...around });
    const reading = (async () => {
      for await (const item of agent.stream("go", { signal: controller.signal })) {
        if (item.type !== "text") continue;
        seen.push(item.text);
        if (seen.length === 2) controller.abort();
      }
    })();
    const { error, run } = await failureOf(reading);
    expect(error.code).toBe("cancelled");
    // One fragment may lie ready.
    expect(["one two ", "one two three "]).toContain(seen.join(""));
    expect(["failed", "abandoned"]).toContain(model.calls[0]?.state);
    expect(run.messages).toHaveLength(1);
    expect(around.clock.timers).toBe(0);
  });

  it("is not tried again, whatever the retry policy says (CTX-06, ERR-07)", async () => {
    const around = testSurroundings();
    const controller = new AbortController();
    const model = scriptedModel([{ hang: true }, "never"]);
    const policies = { retry: { codes: ["cancelled", "network"] } } as const;
    const failing = failureOf(
      createAgent({ name: "a", model, policies, ...around }).invoke("go", { signal: controller.signal }),
    );
    await model.called();
    controller.abort(new Error("changed my mind"));
    const { error } = await failing;
    expect(error).toMatchObject({ code: "cancelled", message: "The work was cancelled: changed my mind" });
    expect(around.events.ofType("retry.scheduled")).toEqual([]);
    expect(model.calls).toHaveLength(1);
  });

  it("ends while it waits for its next attempt (CTX-06)", async () => {
    const around = testSurroundings();
    const controller = new AbortController();
    const model = scriptedModel([{ error: new TinyAgentsError("network", "reset", { details: {} }) }, "never"]);
    const failing = failureOf(createAgent({ name: "a", model, ...around }).invoke("go", { signal: controller.signal }));
    await around.events.seen("retry.scheduled");
    controller.abort();
    expect((await failing).error.code).toBe("cancelled");
    expect(model.calls).toHaveLength(1);
    expect(around.clock.timers).toBe(0);
  });

  it("ends while a tool waits for its next attempt (CTX-06)", async () => {
    const around = testSurroundings();
    const controller = new AbortController();
    const error = new TinyAgentsError("network", "reset", { details: {} });
    const tool = fakeTool({
      name: "work",
      input: NOTHING,
      policy: { effect: "read", retry: { maxAttempts: 5 } },
      result: error,
    });
    const model = scriptedModel([{ toolCalls: [{ name: "work" }] }]);
    const failing = failureOf(
      createAgent({ name: "a", model, tools: [tool], ...around }).invoke("go", { signal: controller.signal }),
    );
    await around.events.seen("retry.scheduled");
    controller.abort();
    expect((await failing).error.code).toBe("cancelled");
    expect(tool.calls).toHaveLength(1);
    expect(around.clock.timers).toBe(0);
  });

  it("keeps the reason where that is an error of ours (CTX-06)", async () => {
    const reason = new TinyAgentsError("limit_exceeded", "over budget", {
      details: { limit: "maxTotalTokens", allowed: 1, counters: {} },
    });
    const { error } = await failureOf(
      createAgent({ name: "a", model: scriptedModel([]) }).invoke("go", { signal: AbortSignal.abort(reason) }),
    );
    expect(error).toMatchObject({ code: "limit_exceeded", message: "over budget" });
  });

  it("can go on later from where it was, without a call repeated (CTX-06)", async () => {
    const controller = new AbortController();
    const first = fakeTool({ name: "first", input: NOTHING });
    const model = scriptedModel([{ toolCalls: [{ name: "first" }] }, { hang: true }, "Done."]);
    const agent = createAgent({ name: "a", model, tools: [first] });
    const failing = failureOf(agent.invoke("go", { signal: controller.signal }));
    await model.called(2);
    controller.abort();
    const { run } = await failing;
    const again = await agent.resume(JSON.parse(JSON.stringify(run.state)));
    expect(again).toMatchObject({ status: "completed", text: "Done." });
    expect(first.calls).toHaveLength(1);
  });

  it("saves no memory (AL-06)", async () => {
    const controller = new AbortController();
    const memory = threads();
    const agent = createAgent({
      name: "a",
      model: scriptedModel(["Done."]),
      memory,
      middleware: [{ name: "cancel", afterAgent: () => controller.abort() }],
    });
    const { error } = await failureOf(agent.invoke("go", { threadId: "t1", signal: controller.signal }));
    expect(error.code).toBe("cancelled");
    expect(memory.saves).toHaveLength(0);
  });

  it("can be cancelled through its handle, and by leaving its stream (CTX-06)", async () => {
    const around = testSurroundings();
    const handled = scriptedModel([{ hang: true }]);
    const handle = createAgent({ name: "a", model: handled, ...around }).start("go");
    await handled.called();
    handle.cancel("enough");
    expect((await failureOf(handle.result)).error).toMatchObject({ code: "cancelled", details: { reason: "enough" } });

    const left = scriptedModel([{ text: "words", hang: true }]);
    for await (const _ of createAgent({ name: "a", model: left, ...around }).stream("go")) break;
    expect(["failed", "abandoned"]).toContain(left.calls[0]?.state);
    expect(around.clock.timers).toBe(0);
  });
});

describe("a cancellation between two pieces of work", () => {
  it("sends no request when a hook before the call was the last to run (CTX-06)", async () => {
    const controller = new AbortController();
    const model = scriptedModel(["never"]);
    const middleware = [{ name: "cancel", beforeModel: async () => controller.abort() }];
    const { error } = await failureOf(
      createAgent({ name: "a", model, middleware }).invoke("go", { signal: controller.signal }),
    );
    expect(error.code).toBe("cancelled");
    expect(model.calls).toHaveLength(0);
  });

  it("sends no request when a wrap around the call cancelled (CTX-06)", async () => {
    const controller = new AbortController();
    const model = scriptedModel(["never"]);
    const middleware = [
      {
        name: "cancel",
        async *wrapModel(request: never, _: unknown, next: (request: never) => AsyncIterable<never>) {
          controller.abort();
          yield* next(request);
        },
      },
    ];
    const { error } = await failureOf(
      createAgent({ name: "a", model, middleware }).invoke("go", { signal: controller.signal }),
    );
    expect(error.code).toBe("cancelled");
    expect(model.calls).toHaveLength(0);
  });

  it.each([1, 2])("runs no tool of %i when a hook before them cancelled (CTX-06, AL-07)", async (calls) => {
    const controller = new AbortController();
    const tool = fakeTool({ name: "work", input: NOTHING });
    const model = scriptedModel([{ toolCalls: Array.from({ length: calls }, () => ({ name: "work" })) }]);
    const middleware = [{ name: "cancel", beforeTool: async () => controller.abort() }];
    const { run } = await failureOf(
      createAgent({ name: "a", model, tools: [tool], middleware }).invoke("go", { signal: controller.signal }),
    );
    expect(tool.calls).toHaveLength(0);
    expect(checkHistory(run.messages)).toEqual([]);
  });

  it("starts no further call of a batch that runs one after the other (CTX-06)", async () => {
    const controller = new AbortController();
    const tool = fakeTool({
      name: "work",
      input: NOTHING,
      policy: { effect: "write" },
      execute: () => controller.abort(),
    });
    const model = scriptedModel([{ toolCalls: [{ name: "work" }, { name: "work" }, { name: "work" }] }]);
    const { run } = await failureOf(
      createAgent({ name: "a", model, tools: [tool] }).invoke("go", { signal: controller.signal }),
    );
    expect(tool.calls).toHaveLength(1);
    expect(resultStatuses(run.messages)).toEqual(["work#call_1 ok", "work#call_2 cancelled", "work#call_3 cancelled"]);
  });
});

describe("a cancellation while a tool runs", () => {
  it.each(["throws", "returns", "ignores"])(
    "ends the run, also when the tool %s, and makes no further model call (AL-07)",
    async (how) => {
      const around = testSurroundings();
      const controller = new AbortController();
      const tool = fakeTool({
        name: "work",
        input: NOTHING,
        execute: (_, { signal }) =>
          new Promise((resolve, reject) => {
            signal.addEventListener("abort", () => {
              if (how === "throws") reject(new Error("the tool's own failure"));
              if (how === "returns") resolve("a result");
            });
          }),
      });
      const model = scriptedModel([{ toolCalls: [{ name: "work" }] }, "never"]);
      const policies = { cancelGraceMs: 100 };
      const agent = createAgent({ name: "a", model, tools: [tool], policies, ...around });
      const failing = failureOf(agent.invoke("go", { signal: controller.signal }));
      await tool.called();
      controller.abort("stop");
      await around.clock.advance(100);
      const { error, run } = await failing;
      expect(error).toMatchObject({ code: "cancelled", details: { reason: "stop" } });
      expect(run.error?.code).toBe("cancelled");
      expect(model.calls).toHaveLength(1);
      expect(resultStatuses(run.messages)).toEqual([how === "returns" ? "work#call_1 ok" : "work#call_1 cancelled"]);
      expect(around.events.types().at(-1)).toBe("run.failed");
      expect(around.clock.timers).toBe(0);
    },
  );

  it("ends the run when a synchronous tool was the last to run (AL-07)", async () => {
    const controller = new AbortController();
    const model = scriptedModel([{ toolCalls: [{ name: "work" }] }, "never"]);
    const tool = { ...fakeTool({ name: "work", input: NOTHING }), execute: () => controller.abort() };
    const { error } = await failureOf(
      createAgent({ name: "a", model, tools: [tool] }).invoke("go", { signal: controller.signal }),
    );
    expect(error.code).toBe("cancelled");
    expect(model.calls).toHaveLength(1);
  });

  it("says by name what did not stop (CTX-06)", async () => {
    const around = testSurroundings();
    const controller = new AbortController();
    const deaf = hangingTool({ name: "deaf", input: NOTHING, ignoreSignal: true });
    const polite = hangingTool({ name: "polite", input: NOTHING });
    const model = scriptedModel([{ toolCalls: [{ name: "polite" }, { name: "deaf" }, { name: "deaf" }] }]);
    const agent = createAgent({ name: "a", model, tools: [deaf, polite], policies: { cancelGraceMs: 500 }, ...around });
    const failing = failureOf(agent.invoke("go", { signal: controller.signal }));
    await deaf.called(2);
    controller.abort();
    await around.clock.advance(499);
    expect(around.events.ofType("run.failed")).toHaveLength(0);
    await around.clock.advance(1);
    const { error, run } = await failing;
    expect(error.details).toMatchObject({ ignoredBy: ["tool deaf", "tool deaf"] });
    expect(error.message).toContain("tool deaf");
    expect(checkHistory(run.messages)).toEqual([]);
    expect(around.clock.timers).toBe(0);
  });

  it("names a model that did not stop, and counts what it must have cost (CTX-06, OB-05)", async () => {
    const around = testSurroundings();
    const controller = new AbortController();
    const model = stubbornModel([{ text: "x".repeat(40), gate: new Promise(() => {}) }]);
    const failing = failureOf(createAgent({ name: "a", model, ...around }).invoke("go", { signal: controller.signal }));
    await model.waiting();
    controller.abort();
    await around.clock.advance(2_000);
    const { error, run } = await failing;
    expect(error.details).toMatchObject({ ignoredBy: ["model test/stubborn"] });
    expect(run.usage).toMatchObject({ modelCalls: 1, estimatedCalls: 1, outputTokens: 10 });
    expect(around.events.types()).toEqual([
      "run.started",
      "model.started",
      "usage.recorded",
      "model.failed",
      "run.failed",
    ]);
  });

  it.each(["resolves", "rejects"])("changes nothing when what did not stop %s later (CTX-06)", async (how) => {
    const around = testSurroundings();
    const controller = new AbortController();
    const late = latch<string>();
    const tool = fakeTool({ name: "work", input: NOTHING, execute: () => late.promise });
    const model = scriptedModel([{ toolCalls: [{ name: "work" }] }, "never"]);
    const failing = failureOf(
      createAgent({ name: "a", model, tools: [tool], ...around }).invoke("go", { signal: controller.signal }),
    );
    await tool.called();
    controller.abort();
    await around.clock.advance(2_000);
    const { run } = await failing;
    const before = { state: JSON.stringify(run.state), events: around.events.types() };
    if (how === "resolves") late.resolve("late");
    else late.reject(new Error("late"));
    await quiet();
    await around.clock.advance(10_000);
    expect({ state: JSON.stringify(run.state), events: around.events.types() }).toEqual(before);
    expect(model.calls).toHaveLength(1);
    expect(around.clock.timers).toBe(0);
  });

  it("ends also when a hook, or somebody who is asked, never answers (CTX-06)", async () => {
    for (const where of ["beforeModel", "afterModel", "beforeTool", "wrapTool", "afterTool", "approver"]) {
      const around = testSurroundings();
      const controller = new AbortController();
      const begun = latch();
      const hang = (): Promise<never> => {
        begun.resolve();
        return new Promise(() => {});
      };
      const tool = fakeTool({
        name: "work",
        input: NOTHING,
        policy: { approval: where === "approver" ? "always" : "never" },
      });
      const agent = createAgent({
        name: "a",
        model: scriptedModel([{ toolCalls: [{ name: "work" }] }, "never"]),
        tools: [tool],
        middleware: where === "approver" ? [] : [{ name: "stuck", [where]: hang }],
        approver: { decide: hang },
        ...around,
      });
      const failing = failureOf(agent.invoke("go", { signal: controller.signal }));
      await begun.promise;
      controller.abort();
      await around.clock.advance(2_000);
      const { error, run } = await failing;
      expect([where, error.code, checkHistory(run.messages), around.clock.timers]).toEqual([where, "cancelled", [], 0]);
    }
  });

  it("ends one step of a run that somebody drives step by step (CTX-06, LOOP-14)", async () => {
    const around = testSurroundings();
    const controller = new AbortController();
    const model = scriptedModel([{ hang: true }]);
    const agent = createAgent({ name: "a", model, ...around });
    let state = agent.initialState("go");
    state = await agent.step(state, { signal: controller.signal });
    const moving = agent.step(state, { signal: controller.signal });
    await model.called();
    controller.abort();
    expect(await moving).toMatchObject({ phase: "failed", resumeAt: "dispatch", error: { code: "cancelled" } });
    expect(around.clock.timers).toBe(0);
  });
});
