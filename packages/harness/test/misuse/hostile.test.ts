import { type Control, interrupt, type JsonObject, type Middleware, manualClock, tool } from "@tinyagents/core";
import { createAgent, runOf } from "@tinyagents/harness";
import { fakeTool, scriptedModel, toArray } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";

const jumping = (before: Control, after: Control): Middleware => ({
  name: "j",
  beforeModel: () => ({ control: before }),
  afterAgent: () => ({ control: after }),
});

describe("hooks that contradict each other", () => {
  test("cannot make a run jump for ever (MWH-04)", async () => {
    const middleware = [jumping({ type: "jump", to: "end" }, { type: "jump", to: "model" })];
    const agent = createAgent({ name: "a", model: scriptedModel([]), middleware });
    await expect(agent.invoke("Hi")).rejects.toMatchObject({ code: "middleware_failed", details: { middleware: "j" } });
  });

  test("cannot jump to a place that there is not", async () => {
    const nowhere = { type: "jump", to: "moon" } as unknown as Control;
    const agent = createAgent({ name: "a", model: scriptedModel([]), middleware: [jumping(nowhere, nowhere)] });
    await expect(agent.invoke("Hi")).rejects.toThrow(/moon/);
  });
});

describe("arguments", () => {
  const got: JsonObject[] = [];
  const pay = tool({
    name: "pay",
    description: "Pays.",
    input: { type: "object" },
    policy: { approval: "always" },
    execute(input) {
      got.push(structuredClone(input));
      (input as { paid?: boolean }).paid = true;
      return "paid";
    },
  });
  const model = () => scriptedModel([{ toolCalls: [{ name: "pay", args: { euro: 1 } }] }, "Done."]);

  test("that were approved run, whatever a watcher does with what it was shown (SE-07)", async () => {
    got.length = 0;
    const agent = createAgent({
      name: "a",
      model: model(),
      tools: [pay],
      approver: { decide: () => ({ approve: true }) },
    });
    for await (const item of agent.stream("Pay."))
      if (item.type === "tool_started") (item.args as { euro: number }).euro = 999;
    expect(got).toEqual([{ euro: 1 }]);
  });

  test("that were approved run, whatever the approver does with the request (SE-07)", async () => {
    got.length = 0;
    const approver = {
      decide(request: { readonly args: JsonObject }) {
        (request.args as { euro: number }).euro = 999;
        return { approve: true } as const;
      },
    };
    await createAgent({ name: "a", model: model(), tools: [pay], approver }).invoke("Pay.");
    expect(got).toEqual([{ euro: 1 }]);
  });

  test("in the history are not the tool's to change", async () => {
    const agent = createAgent({
      name: "a",
      model: model(),
      tools: [pay],
      approver: { decide: () => ({ approve: true }) },
    });
    const run = await agent.invoke("Pay.");
    expect(JSON.stringify(run.messages)).not.toContain('"paid":true');
  });
});

describe("streams", () => {
  test("take a flood of progress", async () => {
    const flood = tool({
      name: "flood",
      description: "",
      input: { type: "object" },
      execute: async (_, runtime) => {
        for (let i = 0; i < 30_000; i++) runtime.progress(i);
        return "done";
      },
    });
    const agent = createAgent({
      name: "a",
      model: scriptedModel([{ toolCalls: [{ name: "flood" }] }, "Done."]),
      tools: [flood],
    });
    const stream = agent.stream("Go.", { modes: ["tools"] });
    const items = await toArray(stream);
    expect(items.filter(({ type }) => type === "tool_progress").length + stream.dropped).toBe(30_000);
    expect(items.at(-2)).toMatchObject({ type: "tool_progress", delta: 29_999 });
  });

  test("answer every `next`, also several at once", async () => {
    const stream = createAgent({ name: "a", model: scriptedModel(["Hi."]) }).stream("Hi", { modes: ["final"] });
    const [first, second] = await Promise.all([stream.next(), stream.next()]);
    expect([first.done, second.done]).toEqual([false, true]);
  });
});

describe("results", () => {
  test("that could not be read back from a stored run fail their call", async () => {
    const hostile = fakeTool({ name: "fetch", execute: () => JSON.parse('{"__proto__":1}') });
    const ask = fakeTool({ name: "ask", execute: () => interrupt("Well?") });
    const model = scriptedModel([{ toolCalls: [{ name: "fetch" }, { name: "ask" }] }, "Done."]);
    const agent = createAgent({ name: "a", model, tools: [hostile, ask] });
    const paused = await agent.invoke("Go.");
    const run = await agent.resume(JSON.parse(JSON.stringify(paused.state)), {
      answers: { [paused.requests[0]?.id ?? ""]: "yes" },
    });
    expect(run.status).toBe("completed");
    expect(run.messages.find((message) => message.role === "tool")).toMatchObject({ name: "fetch", status: "failed" });
  });

  test("that are failures without end are cut", async () => {
    const loud = fakeTool({
      name: "loud",
      execute: () => {
        throw new Error("x".repeat(1_000_000));
      },
    });
    const run = await createAgent({
      name: "a",
      model: scriptedModel([{ toolCalls: [{ name: "loud" }] }, "Done."]),
      tools: [loud],
    }).invoke("Go.");
    expect(JSON.stringify(run.messages).length).toBeLessThan(10_000);
  });
});

describe("a recorder of somebody else", () => {
  const recorder = { load: async () => undefined, step: async () => {}, toolResult: async () => {} };

  test("that fails without a code fails the run with one, and the run is told", async () => {
    const failing = {
      ...recorder,
      step: async () => {
        throw new Error("disk full");
      },
    };
    const agent = createAgent({ name: "a", model: scriptedModel(["Hi."]), recorder: failing });
    const error: unknown = await agent.invoke("Hi").catch((thrown) => thrown);
    expect(error).toMatchObject({ code: "store_failed", message: expect.stringContaining("disk full") });
    expect(runOf(error)?.messages).toHaveLength(1);
  });

  test("that hangs does not keep a cancelled run", async () => {
    const clock = manualClock();
    const hanging = { ...recorder, step: () => new Promise<void>(() => {}) };
    const agent = createAgent({ name: "a", model: scriptedModel(["Hi."]), recorder: hanging, clock });
    const controller = new AbortController();
    const running = agent.invoke("Hi", { signal: controller.signal });
    const ended = expect(running).rejects.toMatchObject({ code: "cancelled" });
    controller.abort("enough");
    await clock.advance(5_000);
    await ended;
  });
});
