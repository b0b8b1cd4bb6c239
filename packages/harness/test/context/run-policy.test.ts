import { askWhenResumed, type RunPolicy } from "@tinyagents/core";
import { type AgentOptions, createAgent } from "@tinyagents/harness";
import { fakeTool, gauge, scriptedModel } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { resultStatuses } from "../support/transcript.js";

const throughJson = <T>(value: T): T => JSON.parse(JSON.stringify(value));

/** An agent that calls its tools `send` and `look` at once, and then answers. */
function made(approval: RunPolicy["approval"], options: Partial<AgentOptions> = {}) {
  const send = fakeTool({ name: "send", input: z.object({}), policy: { effect: "external" } });
  const look = fakeTool({ name: "look", input: z.object({}), policy: { effect: "read" } });
  const plain = fakeTool({ name: "plain", input: z.object({}), policy: {} });
  const model = scriptedModel([{ toolCalls: [{ name: "send" }, { name: "look" }, { name: "plain" }] }, "done"]);
  const policies = throughJson({ approval });
  const agent = createAgent({ name: "a", model, tools: [send, look, plain], policies, ...options });
  return { agent, send, look, plain };
}

describe("a run's policy", () => {
  test("has limits, and those that are given beside it stand before them, one by one (CTX-07)", async () => {
    const agent = createAgent({
      name: "a",
      model: scriptedModel(["ok"]),
      limits: { maxToolCalls: 7, maxDepth: undefined },
      policies: { limits: { maxModelCalls: 5, maxToolCalls: 50, maxDepth: 1, maxTotalTokens: 90 } },
    });
    const { config } = await agent.invoke("Go.");
    expect(config.limits).toMatchObject({ maxModelCalls: 5, maxToolCalls: 7, maxDepth: 1, maxTotalTokens: 90 });
    expect(config.limits.maxRetries).toBe(16);
  });

  test("keeps a limit that a run says is undefined (CTX-07)", async () => {
    const agent = createAgent({ name: "a", model: scriptedModel(["ok"]), limits: { maxModelCalls: 5 } });
    const { config } = await agent.invoke("Go.", { limits: { maxModelCalls: undefined, maxToolCalls: 2 } });
    expect(config.limits).toMatchObject({ maxModelCalls: 5, maxToolCalls: 2 });
  });

  test("that cannot be is refused when the agent is made, with its place (CTX-07)", () => {
    const wrong = { onLimit: "finalise" } as unknown as RunPolicy;
    const make = () => createAgent({ name: "a", model: scriptedModel([]), policies: wrong });
    expect(make).toThrow(TypeError);
    expect(make).toThrow(/createAgent: policies\.onLimit: "fail" or "finalize"/);
  });

  test("runs the calls of a batch one after the other, whatever else a run may have at once (CTX-07)", async () => {
    const flight = gauge();
    const order: string[] = [];
    const slow = fakeTool({
      name: "slow",
      input: z.object({ key: z.string() }),
      policy: { effect: "read" },
      execute: async ({ key }: { key: string }) => {
        await new Promise((resolve) => setImmediate(resolve));
        order.push(key);
      },
    });
    const keys = ["a", "b", "c", "d"];
    const model = scriptedModel([{ toolCalls: keys.map((key) => ({ name: "slow", args: { key } })) }, "done"]);
    const policies = { toolExecution: "sequential" } as const;
    const agent = createAgent({
      name: "a",
      model,
      tools: [flight.tool(slow)],
      policies,
      limits: { maxConcurrency: 4 },
    });
    await agent.invoke("Go.", { limits: { maxConcurrency: 8 } });
    expect([flight.highest, order]).toEqual([1, keys]);
  });
});

describe("pausing for a person, as data (MWH-08)", () => {
  test("pauses before calls with an effect that the policy names, and runs the others (MWH-08)", async () => {
    const { agent, send, look, plain } = made({ effects: ["external"], withoutApprover: "ask" });
    const paused = await agent.invoke("Go.");
    expect(paused.status).toBe("paused");
    expect(paused.requests).toMatchObject([{ type: "approval", tool: "send" }]);
    expect([send.calls.length, look.calls.length, plain.calls.length]).toEqual([0, 1, 1]);
    const answers = { [paused.requests[0]?.id ?? ""]: { approve: true } };
    const elsewhere = made({ effects: ["external"], withoutApprover: "ask" }, { model: scriptedModel(["done"]) });
    const run = await elsewhere.agent.resume(throughJson(paused.state), { answers });
    expect(run).toMatchObject({ status: "completed", text: "done" });
    expect([elsewhere.send.calls.length, elsewhere.look.calls.length]).toEqual([1, 0]);
  });

  test("denies them where nobody approves and the policy does not say to ask (MWH-08)", async () => {
    const { agent, send } = made({ tools: ["send"] });
    expect(resultStatuses((await agent.invoke("Go.")).messages)).toEqual([
      "send#call_1 denied",
      "look#call_2 ok",
      "plain#call_3 ok",
    ]);
    expect(send.calls).toHaveLength(0);
  });

  test("names calls by tool, and those that do not say what they do (MWH-08)", async () => {
    const asked: string[] = [];
    const approver = {
      decide: ({ tool }: { readonly tool: string }) => {
        asked.push(tool);
        return { approve: true } as const;
      },
    };
    const run = await made({ tools: ["look"], unclassified: true }, { approver }).agent.invoke("Go.");
    expect(asked).toEqual(["look", "plain"]);
    expect(resultStatuses(run.messages)).toEqual(["send#call_1 ok", "look#call_2 ok", "plain#call_3 ok"]);
  });

  test("takes no approval away that a tool asks for itself (MWH-08)", async () => {
    const pay = fakeTool({ name: "pay", input: z.object({}), policy: { effect: "read", approval: "always" } });
    const run = await createAgent({
      name: "a",
      model: scriptedModel([{ toolCalls: [{ name: "pay" }] }, "done"]),
      tools: [pay],
      policies: { approval: { effects: ["external"] } },
      approver: askWhenResumed,
    }).invoke("Go.");
    expect(run.requests).toMatchObject([{ tool: "pay" }]);
  });

  test("is seen by middleware in the call that it looks at (MWH-08)", async () => {
    const seen: unknown[] = [];
    const middleware = [{ name: "m", beforeTool: (call: { readonly policy: unknown }) => void seen.push(call.policy) }];
    await made({ effects: ["external"] }, { middleware }).agent.invoke("Go.");
    expect(seen).toEqual([{ effect: "external", approval: "always" }, { effect: "read" }, {}]);
  });
});
