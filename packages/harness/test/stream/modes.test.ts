import { type AgentStreamItem, type StreamMode, TinyAgentsError, tool } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { eventRecorder, fakeTool, scriptedModel, testSurroundings, toArray } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { threads } from "../support/threads.js";

const prices = {
  priceOf: () => ({ currency: "USD", inputPerMillion: "1", outputPerMillion: "2" }),
};

/** An agent whose run has items of every mode. */
function busyAgent() {
  return createAgent({
    name: "a",
    model: scriptedModel(
      [
        {
          reasoning: "hm",
          text: "Let me look.",
          toolCalls: [{ name: "look", args: { at: "sea" } }],
          usage: { inputTokens: 3, outputTokens: 1 },
        },
        { text: "There is fog.", usage: { inputTokens: 5, outputTokens: 2 } },
      ],
      { split: [1, 3] },
    ),
    tools: [
      tool({
        name: "look",
        description: "Looks.",
        input: z.object({ at: z.string() }),
        label: "Looks",
        async *execute() {
          yield "half";
          return "fog";
        },
      }),
    ],
    memory: threads(),
    prices,
  });
}

async function itemsOf(...modes: StreamMode[]): Promise<AgentStreamItem[]> {
  return toArray(busyAgent().stream("Go.", { modes, threadId: "t", runId: "r", ...testSurroundings() }));
}

const typesOf = (items: readonly AgentStreamItem[]) => items.map(({ type }) => type);

describe("a stream has exactly the items of its modes", () => {
  test("messages: fragments, each call followed by its message, and nothing else (STM-01, STM-07)", async () => {
    const items = await itemsOf("messages");
    const ofCall = (callId: string) => items.filter((item) => "callId" in item && item.callId === callId);
    expect([...ofCall("r/m1"), ...ofCall("r/m2")]).toEqual(items);
    const first = typesOf(ofCall("r/m1"));
    expect([...new Set(first)]).toEqual(["reasoning", "text", "tool_call_start", "tool_call_args", "message"]);
    expect(first.filter((type) => type === "message")).toHaveLength(1);
    expect(first.at(-1)).toBe("message");
    expect(items.at(-1)).toMatchObject({ type: "message", message: { content: [{ text: "There is fog." }] } });
  });

  test("messages: text, reasoning and arguments come apart, each in its block (STM-07)", async () => {
    const items = await itemsOf("messages");
    const joined = (type: "text" | "reasoning", index: number) =>
      items.flatMap((item) =>
        item.type === type && item.callId === "r/m1" && item.index === index ? [item.text] : [],
      );
    expect(joined("reasoning", 0).join("")).toBe("hm");
    expect(joined("text", 1).join("")).toBe("Let me look.");
    const args = items.flatMap((item) => (item.type === "tool_call_args" && item.index === 2 ? [item.args] : []));
    expect(args.length).toBeGreaterThan(1);
    expect(args.join("")).toBe('{"at":"sea"}');
  });

  test("tools: start, progress and result of each call (STM-02)", async () => {
    expect(await itemsOf("tools")).toEqual([
      { type: "tool_started", runId: "r", callId: "call_1", tool: "look", args: { at: "sea" }, label: "Looks" },
      { type: "tool_progress", runId: "r", callId: "call_1", tool: "look", delta: "half" },
      {
        type: "tool_result",
        runId: "r",
        callId: "call_1",
        tool: "look",
        result: expect.objectContaining({ role: "tool", status: "ok", content: [{ type: "text", text: "fog" }] }),
      },
    ]);
  });

  test("usage and cost: totals after each model call (STM-06)", async () => {
    const items = await itemsOf("usage", "cost");
    expect(
      items.map((item) =>
        item.type === "usage" ? item.usage.totalTokens : item.type === "cost" ? item.cost.amount : "",
      ),
    ).toEqual([4, "0.000005", 11, "0.000014"]);
  });

  test("updates: the state after each step, and memory (STM-03)", async () => {
    const items = await itemsOf("updates");
    expect(items.map((item) => (item.type === "update" ? item.phase : `${item.type}`))).toEqual([
      "memory",
      "dispatch",
      "parse",
      "tools",
      "dispatch",
      "parse",
      "stop_check",
      "finalize",
      "memory",
      "done",
    ]);
    expect(items[0]).toEqual({ type: "memory", runId: "r", operation: "loaded", threadId: "t", messages: 0 });
    expect(items.at(-2)).toMatchObject({ type: "memory", operation: "saved", messages: 4 });
  });

  test("updates: each is a copy that later steps do not change (STM-03)", async () => {
    const items = await itemsOf("updates");
    const steps = items.flatMap((item) => (item.type === "update" ? [item.counters.steps] : []));
    expect(steps).toEqual(steps.map((_, at) => at + 1));
  });

  test("events: the very events that a sink gets, in their order (STM-04)", async () => {
    const events = eventRecorder({ payloads: false });
    const { clock, ids } = testSurroundings();
    const options = { modes: ["events"] as const, threadId: "t", runId: "r", clock, ids, events };
    const items = await toArray(busyAgent().stream("Go.", options));
    expect(typesOf(items)).toEqual(items.map(() => "event"));
    expect(items.map((item) => (item.type === "event" ? item.event : item))).toEqual(events.events);
    expect(events.events.length).toBeGreaterThan(8);
  });

  test("final: one item, the run (STM-05)", async () => {
    const [item, ...others] = await itemsOf("final");
    expect(others).toEqual([]);
    expect(item).toMatchObject({ type: "final", run: { status: "completed", text: "There is fog.", runId: "r" } });
  });

  test("by default messages, tools and the final item; combined modes in the order in which things happen (STM-06)", async () => {
    const items = await toArray(busyAgent().stream("Go."));
    const kinds = typesOf(items).filter((type) => ["message", "tool_started", "tool_result", "final"].includes(type));
    expect(kinds).toEqual(["message", "tool_started", "tool_result", "message", "final"]);
    const all = await itemsOf("messages", "tools", "usage", "cost", "updates", "events", "final");
    const apart = await Promise.all(
      (["messages", "tools", "usage", "cost", "updates", "events", "final"] as const).map((mode) => itemsOf(mode)),
    );
    expect(all).toHaveLength(apart.reduce((sum, items_) => sum + items_.length, 0));
  });

  test("carry the ids of their run and call (STM-06)", async () => {
    for (const item of await itemsOf("messages", "tools", "usage", "cost")) {
      expect(item).toMatchObject({ runId: "r", callId: expect.stringMatching(/^(r\/m[12]|call_1)$/) });
    }
  });
});

describe("whole blocks", () => {
  test("are shown as the fragments that they might have been, arguments included (STM-07)", async () => {
    const model = scriptedModel([
      {
        blocks: [
          { type: "reasoning", text: "hm" },
          { type: "text", text: "so" },
          { type: "tool_call", id: "c", name: "look", args: { at: "sea" } },
        ],
        finishReason: "length",
      },
    ]);
    const items = await toArray(createAgent({ name: "a", model }).stream("Go.", { modes: ["messages"], runId: "r" }));
    const from = { runId: "r", callId: "r/m1" };
    expect(items.slice(0, -1)).toEqual([
      { ...from, type: "reasoning", index: 0, text: "hm" },
      { ...from, type: "text", index: 1, text: "so" },
      { ...from, type: "tool_call_start", index: 2, id: "c", name: "look" },
      { ...from, type: "tool_call_args", index: 2, args: '{"at":"sea"}' },
    ]);
  });

  test("are asked of the model when nobody watches, fragments when somebody does (PF-02)", async () => {
    const model = scriptedModel(["one", "two", "three", "four"]);
    const agent = createAgent({ name: "a", model });
    await agent.invoke("Go.");
    await toArray(agent.stream("Go.", { modes: ["final"] }));
    await toArray(agent.stream("Go.", { modes: ["messages"] }));
    await agent.invoke("Go.", { events: eventRecorder({ deltas: true }) });
    expect(model.calls.map(({ delivery }) => delivery)).toEqual(["whole", "whole", "incremental", "incremental"]);
  });
});

describe("a repeated call", () => {
  test("tells readers to drop what they saw; the message has the successful attempt only (MW-07)", async () => {
    const { clock } = testSurroundings();
    const model = scriptedModel([
      {
        text: "I pay ",
        toolCalls: [{ id: "stale", name: "pay", args: {} }],
        error: new TinyAgentsError("network", "reset", { details: {} }),
        usage: { inputTokens: 10, outputTokens: 4 },
      },
      { text: "Nothing to pay.", usage: { inputTokens: 10, outputTokens: 3 } },
    ]);
    const pay = fakeTool({ name: "pay" });
    const running = toArray(createAgent({ name: "a", model, tools: [pay] }).stream("Go.", { clock }));
    await clock.advance(10_000);
    const items = await running;
    expect(typesOf(items)).toEqual([
      "text",
      "tool_call_start",
      "tool_call_args",
      "restart",
      "text",
      "message",
      "final",
    ]);
    expect(items[3]).toMatchObject({ type: "restart", attempt: 2, reason: "network" });
    const last = items.at(-1);
    if (last?.type !== "final") throw new Error("no final item");
    expect(last.run.messages.at(-1)?.content).toEqual([{ type: "text", text: "Nothing to pay." }]);
    expect(last.run.usage).toMatchObject({ inputTokens: 20, outputTokens: 7, modelCalls: 1 });
    expect(pay.calls).toHaveLength(0);
  });
});

describe("a long answer", () => {
  test("costs items that are its fragments and no more: nothing carries the text so far (PF-02)", async () => {
    const sizeOf = async (chars: number) => {
      const model = scriptedModel(["x".repeat(chars)], { split: [...Array(chars / 4)].map(() => 4) });
      const items = await toArray(createAgent({ name: "a", model }).stream("Go.", { modes: ["messages"] }));
      const texts = items.flatMap((item) => (item.type === "text" ? [item.text] : []));
      expect(texts).toHaveLength(chars / 4);
      return texts.join("").length + JSON.stringify(items.at(-1)).length;
    };
    const [short, long] = [await sizeOf(2_000), await sizeOf(4_000)];
    expect(long).toBeLessThan(short * 2.1);
  });

  test("leaves items alone that were handed out earlier (PF-02)", async () => {
    const model = scriptedModel(["abcdef"], { split: "characters" });
    const seen: { readonly item: AgentStreamItem; readonly copy: string }[] = [];
    for await (const item of createAgent({ name: "a", model }).stream("Go.", { modes: ["messages", "usage"] })) {
      seen.push({ item, copy: JSON.stringify(item) });
    }
    for (const { item, copy } of seen) expect(JSON.stringify(item)).toBe(copy);
  });
});
