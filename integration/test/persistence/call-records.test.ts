import { type JournalEntry, type JsonSchema, TinyAgentsError, tool } from "@tinyagents/core";
import { type AgentOptions, createAgent } from "@tinyagents/harness";
import { callRecords, eventJournal } from "@tinyagents/persistence";
import { memoryAppendStore } from "@tinyagents/store-memory";
import { scriptedModel } from "@tinyagents/testkit";
import { describe, expect, it } from "vitest";

const look = tool({
  name: "look",
  description: "Looks.",
  input: { type: "object", properties: { at: { type: "string" } }, required: ["at"] },
  execute: async (input) => {
    const { at } = input as { readonly at: string };
    if (at === "nowhere") throw new Error("there is nothing");
    return `${at} is there`;
  },
});

/** The journal of one run of an agent, and all entries that it left. */
async function entriesOf(
  options: Partial<AgentOptions<JsonSchema>>,
  payloads = false,
): Promise<readonly JournalEntry[]> {
  const journal = eventJournal(memoryAppendStore());
  const agent = createAgent({
    name: "tester",
    model: scriptedModel([]),
    ...options,
    events: journal.sink({ payloads }),
  });
  await agent.invoke("Look.", { runId: "r1" }).catch(() => undefined);
  await journal.flush();
  return (await journal.read({ rootRunId: "r1" })).entries;
}

const down = new TinyAgentsError("provider_server", "It is down.", {
  details: { provider: "test", status: 500 },
  retryable: false,
});
const USAGE = { source: "reported", inputTokens: 10, outputTokens: 5 } as const;
const prices = { priceOf: () => ({ currency: "USD", inputPerMillion: "1", outputPerMillion: "2" }) };
const call = (id: string, name: string, args: { readonly [key: string]: string | number }) => ({ id, name, args });

describe("the records of calls (STO-13)", () => {
  it("say of each call of a model who answered, after whom, how, when, and what each used", async () => {
    const entries = await entriesOf({
      model: scriptedModel([{ error: down }], { id: "test/first" }),
      fallbacks: [scriptedModel([{ text: "Here.", usage: USAGE }], { id: "test/second" })],
      prices,
    });
    const { modelCalls, toolCalls, outputs } = callRecords(entries);
    expect(modelCalls).toMatchObject([
      {
        runId: "r1",
        callId: "r1/m1",
        state: "completed",
        finishReason: "stop",
        attempts: 2,
        model: { id: "test/second" },
      },
    ]);
    expect(modelCalls[0]?.model.failed?.map(({ id }) => id)).toEqual(["test/first"]);
    expect(modelCalls[0]?.spent.map(({ model, usage, cost }) => [model.id, usage, cost?.source])).toEqual([
      ["test/second", USAGE, "estimated"],
    ]);
    expect(modelCalls[0]?.elapsedMs).toBeGreaterThanOrEqual(0);
    const started = entries.find((entry) => entry.type === "event" && entry.event.type === "model.started");
    expect(started?.type === "event" && started.event.timeMs).toBe(modelCalls[0]?.startedAtMs);
    expect(modelCalls[0]).not.toHaveProperty("content");
    expect([toolCalls, outputs]).toEqual([[], []]);
  });

  it("say of a call that failed with what, and which model was asked last", async () => {
    const { modelCalls } = callRecords(
      await entriesOf({ model: scriptedModel([{ error: down }], { id: "test/first" }) }),
    );
    expect(modelCalls).toMatchObject([
      { state: "failed", model: { id: "test/first" }, error: { code: "provider_server" } },
    ]);
  });

  it("say of each call of a tool what came of it, whether it began or not, and which run it is", async () => {
    const asks = { toolCalls: [call("1", "look", { at: "the shelf" })] };
    const helper = createAgent({ name: "helper", model: scriptedModel([asks, "Helped."]), tools: [look] });
    const entries = await entriesOf({
      model: scriptedModel([
        {
          toolCalls: [
            call("1", "look", { at: "home" }),
            call("2", "look", { at: "nowhere" }),
            call("3", "fly", {}),
            call("4", "look", { at: 1 }),
            call("5", "helper", { task: "Help." }),
          ],
        },
        "Done.",
      ]),
      tools: [look, helper.asTool({ description: "Helps." })],
    });
    const { modelCalls, toolCalls } = callRecords(entries);
    const states = Object.fromEntries(toolCalls.map(({ runId, callId, state }) => [`${runId} ${callId}`, state]));
    expect(states).toEqual({
      "r1 1": "ok",
      "r1 2": "failed",
      "r1 3": "unknown_tool",
      "r1 4": "invalid",
      "r1 5": "ok",
      "r1/5 1": "ok",
    });
    const byId = (id: string) => toolCalls.find(({ runId, callId }) => runId === "r1" && callId === id);
    expect(byId("1")).toMatchObject({ runId: "r1", tool: "look", modelCallId: "r1/m1" });
    expect(byId("1")?.startedAtMs).toBeGreaterThan(0);
    expect(byId("2")?.error?.code).toBe("tool_failed");
    expect(byId("3")).not.toHaveProperty("startedAtMs");
    expect(byId("5")).toMatchObject({ tool: "helper", childRunId: "r1/5" });
    expect(modelCalls.map(({ runId, callId }) => [runId, callId])).toEqual([
      ["r1", "r1/m1"],
      ["r1/5", "r1/5/m1"],
      ["r1/5", "r1/5/m2"],
      ["r1", "r1/m2"],
    ]);
  });

  it("hold what was said, and the structured answer, where the journal keeps payloads, and nothing of it elsewhere", async () => {
    const options = (): Partial<AgentOptions<JsonSchema>> => ({
      model: scriptedModel([{ toolCalls: [call("1", "look", { at: "home" })] }, '{"found":true}']),
      tools: [look],
      output: { type: "object", properties: { found: { type: "boolean" } }, required: ["found"] },
    });
    const kept = callRecords(await entriesOf(options(), true));
    expect(kept.modelCalls[0]?.messages).toMatchObject([{ role: "user" }]);
    expect(kept.modelCalls[1]?.content).toEqual([{ type: "text", text: '{"found":true}' }]);
    expect(kept.toolCalls[0]).toMatchObject({
      args: { at: "home" },
      content: [{ type: "text", text: "home is there" }],
    });
    expect(kept.outputs).toMatchObject([{ runId: "r1", strategy: "native", value: { found: true } }]);
    const bare = callRecords(await entriesOf(options()));
    expect(JSON.stringify(bare)).not.toMatch(/home|found/);
    expect(bare.outputs).toMatchObject([{ runId: "r1", strategy: "native" }]);
  });

  it("are those of a run without a cut, where it was cut off and told its last call once more", async () => {
    const entries = await entriesOf({
      model: scriptedModel([{ toolCalls: [call("1", "look", { at: "home" })] }, '{"found":true}']),
      tools: [look],
      output: { type: "object", properties: { found: { type: "boolean" } }, required: ["found"] },
    });
    const whole = callRecords(entries);
    const again = entries.findLastIndex((entry) => entry.type === "event" && entry.event.type === "model.started");
    for (let cut = again + 1; cut <= entries.length; cut++)
      expect(callRecords([...entries.slice(0, cut), ...entries.slice(again)])).toEqual(whole);
    expect(whole.modelCalls.map(({ callId }) => callId)).toEqual(["r1/m1", "r1/m2"]);
    expect(whole.outputs).toHaveLength(1);
  });

  it("are of what can be known, where entries are missing", async () => {
    const entries = await entriesOf({
      model: scriptedModel([{ toolCalls: [call("1", "look", { at: "home" })] }, "It is there."]),
      tools: [look],
    });
    const without = (type: string) => entries.filter((entry) => entry.type !== "event" || entry.event.type !== type);
    expect(callRecords(without("model.started")).modelCalls).toEqual([]);
    const [ended] = callRecords(without("tool.started")).toolCalls;
    expect([ended?.state, ended?.startedAtMs]).toEqual(["ok", undefined]);
    expect(callRecords(without("tool.completed")).toolCalls[0]?.state).toBe("started");
    expect(callRecords(without("model.completed")).modelCalls.map(({ state }) => state)).toEqual([
      "started",
      "started",
    ]);
    expect(callRecords([])).toEqual({ modelCalls: [], toolCalls: [], outputs: [] });
  });
});
