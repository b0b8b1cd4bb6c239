import { type AgentRun, type AgentStreamItem, type StreamMode, tool } from "@tinyagents/core";
import { createAgent, readableStream } from "@tinyagents/harness";
import { eventRecorder, fakeTool, hangingTool, scriptedModel, streamingModel, toArray } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { endProblems } from "../support/end-problems.js";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("a slow reader", () => {
  test("holds the model's stream: no more than the one slot and the item under way is ahead (STM-06)", async () => {
    let given = 0;
    const model = streamingModel({ text: "abcdefghij" });
    const counted = {
      ...model,
      async *stream(...args: Parameters<typeof model.stream>) {
        for await (const delta of model.stream(...args)) {
          given++;
          yield delta;
        }
      },
    };
    const stream = createAgent({ name: "a", model: counted }).stream("Go.", { modes: ["messages"] });
    for (let taken = 1; taken <= 5; taken++) {
      await stream.next();
      await turn();
      expect(given).toBeLessThanOrEqual(taken + 2);
    }
    await stream.return?.();
  });

  test("holds a tool that makes progress as a generator (STM-06)", async () => {
    let yielded = 0;
    const endless = tool({
      name: "endless",
      description: "Makes progress.",
      input: z.object({}),
      async *execute() {
        while (yielded < 1_000) yield ++yielded;
        return "done";
      },
    });
    const model = scriptedModel([{ toolCalls: [{ name: "endless" }] }, "done"]);
    const stream = createAgent({ name: "a", model, tools: [endless] }).stream("Go.", { modes: ["tools"] });
    await stream.next();
    await stream.next();
    await turn();
    expect(yielded).toBeLessThan(10);
    await stream.return?.();
  });

  test("of events alone holds the run between its steps (STM-06)", async () => {
    const script = Array.from({ length: 50 }, (_, at) => ({ toolCalls: [{ name: "look", args: { at } }] }));
    const model = scriptedModel(script);
    const tools = [fakeTool({ name: "look", input: z.object({ at: z.number() }) })];
    const agent = createAgent({ name: "a", model, tools, limits: { maxModelCalls: 50 } });
    const stream = agent.stream("Go.", { modes: ["events"] });
    await stream.next();
    for (let i = 0; i < 50; i++) await turn();
    expect(model.calls.length).toBeLessThan(3);
    await stream.return?.();
  });

  test("gets everything all the same, in order (STM-06)", async () => {
    const modes: StreamMode[] = ["messages", "tools", "usage", "updates", "events"];
    const make = () => {
      const model = scriptedModel([{ text: "Let me look.", toolCalls: [{ name: "look" }] }, "done"], {
        split: "characters",
      });
      return createAgent({ name: "a", model, tools: [fakeTool({ name: "look" })] }).stream("Go.", {
        modes,
        runId: "r",
      });
    };
    const slow: AgentStreamItem[] = [];
    for await (const item of make()) {
      await turn();
      slow.push(item);
    }
    expect(slow.map(({ type }) => type)).toEqual((await toArray(make())).map(({ type }) => type));
  });
});

describe("a stream", () => {
  test("does nothing before it is read (STM-06)", async () => {
    const model = scriptedModel(["hi"]);
    createAgent({ name: "a", model }).stream("Go.");
    await turn();
    expect(model.calls).toHaveLength(0);
  });

  test("whose loop is left cancels the run, and the loop ends when the run has settled (STM-06)", async () => {
    const events = eventRecorder();
    const trace: string[] = [];
    const slow = fakeTool({
      name: "slow",
      execute: (_input, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            trace.push("told");
            setImmediate(() => {
              trace.push("tidied up");
              reject(new Error("stopped"));
            });
          });
        }),
    });
    const model = scriptedModel([{ toolCalls: [{ name: "slow" }] }]);
    const agent = createAgent({ name: "a", model, tools: [slow], events });
    for await (const item of agent.stream("Go.", { modes: ["tools"] })) if (item.type === "tool_started") break;
    trace.push("left");
    expect(trace).toEqual(["told", "tidied up", "left"]);
    expect(events.types().at(-1)).toBe("run.failed");
    expect(events.ofType("run.failed")[0]?.data.error.code).toBe("cancelled");
    expect(endProblems(events.events)).toEqual([]);
  });

  test("whose loop is left closes the model's stream (STM-06)", async () => {
    const model = streamingModel({ text: "a long answer" });
    for await (const item of createAgent({ name: "a", model }).stream("Go.")) if (item.type === "text") break;
    expect(model.calls.map(({ state }) => state)).not.toContain("running");
  });

  test("that was left gives nothing more, and begins nothing (STM-06)", async () => {
    const model = scriptedModel(["hi"]);
    const stream = createAgent({ name: "a", model }).stream("Go.");
    expect(await stream.return?.()).toEqual({ value: undefined, done: true });
    expect(await stream.next()).toEqual({ value: undefined, done: true });
    expect(model.calls).toHaveLength(0);
  });

  test("of a run that fails throws its error after what came before it, and then ends (STM-06)", async () => {
    const hung = createAgent({ name: "a", model: scriptedModel([{ text: "so" }, "x"]), limits: { maxModelCalls: 0 } });
    await expect(toArray(hung.stream("Go."))).rejects.toMatchObject({ code: "limit_exceeded" });
    const boom = () => {
      throw new Error("x");
    };
    const model = scriptedModel(["fine"]);
    const stream = createAgent({ name: "a", model, middleware: [{ name: "m", afterAgent: boom }] }).stream("Go.");
    expect((await stream.next()).value).toMatchObject({ type: "text" });
    expect((await stream.next()).value).toMatchObject({ type: "message" });
    await expect(stream.next()).rejects.toMatchObject({ code: "middleware_failed" });
    expect(await stream.next()).toEqual({ value: undefined, done: true });
  });

  test("ends with the caller's signal too, and leaves no listener on it (STM-06)", async () => {
    const controller = new AbortController();
    let listeners = 0;
    const { signal } = controller;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners++;
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners--;
      remove(...args);
    };
    await toArray(createAgent({ name: "a", model: scriptedModel(["hi"]) }).stream("Go.", { signal }));
    expect(listeners).toBe(0);
    const hanging = hangingTool({ name: "hang" });
    const model = scriptedModel([{ toolCalls: [{ name: "hang" }] }]);
    const reading = toArray(createAgent({ name: "a", model, tools: [hanging] }).stream("Go.", { signal }));
    await hanging.called();
    controller.abort();
    await expect(reading).rejects.toMatchObject({ code: "cancelled" });
  });
});

describe("a web stream of items", () => {
  const agent = () => createAgent({ name: "a", model: streamingModel({ text: "abc" }) });

  test("has the items of the stream (STM-06)", async () => {
    const items = await toArray(
      readableStream(agent().stream("Go.", { modes: ["messages"] })) as unknown as AsyncIterable<AgentStreamItem>,
    );
    expect(items.map(({ type }) => type)).toEqual(["text", "text", "text", "message"]);
  });

  test("reads nothing ahead, and leaves the loop when it is cancelled (STM-06)", async () => {
    const model = streamingModel({ text: "abc" });
    const stream = readableStream(createAgent({ name: "a", model }).stream("Go."));
    await turn();
    expect(model.calls).toHaveLength(0);
    const reader = stream.getReader();
    await reader.read();
    await reader.cancel();
    expect(model.calls.map(({ state }) => state)).not.toContain("running");
  });

  test("fails when the run does (STM-06)", async () => {
    const failing = createAgent({ name: "a", model: scriptedModel([]), limits: { maxModelCalls: 0 } });
    const reader = readableStream(failing.stream("Go.")).getReader();
    await expect(reader.read()).rejects.toMatchObject({ code: "limit_exceeded" });
  });
});

describe("a resumed run", () => {
  test("streams what is left of it (STM-06)", async () => {
    const model = scriptedModel([{ toolCalls: [{ name: "pay" }] }, "paid"]);
    const tools = [fakeTool({ name: "pay", policy: { approval: "always" } })];
    const agent = createAgent({ name: "a", model, tools, approver: { decide: () => "ask" } });
    const first = await toArray(agent.stream("Go."));
    const final = first.at(-1);
    if (final?.type !== "final") throw new Error("no final item");
    const paused: AgentRun<unknown> = final.run;
    expect(paused.status).toBe("paused");
    const answers = { [paused.requests[0]?.id ?? ""]: { approve: true } };
    const rest = await toArray(agent.resumeStream(paused.state, { answers }));
    expect(rest.map(({ type }) => type)).toEqual(["tool_started", "tool_result", "text", "message", "final"]);
  });

  test("shows each call that waited with its one result (STM-02)", async () => {
    const model = scriptedModel([{ toolCalls: [{ name: "pay" }] }, "fine"]);
    const tools = [fakeTool({ name: "pay", policy: { approval: "always" } })];
    const agent = createAgent({ name: "a", model, tools, approver: { decide: () => "ask" } });
    const paused = await agent.invoke("Go.");
    const answers = { [paused.requests[0]?.id ?? ""]: { approve: false } };
    const rest = await toArray(agent.resumeStream(paused.state, { answers, modes: ["tools"] }));
    expect(rest).toMatchObject([{ type: "tool_result", tool: "pay", result: { status: "denied" } }]);
  });
});
