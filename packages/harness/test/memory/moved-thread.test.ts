import { type AgentRun, askWhenResumed } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { fakeTool, scriptedModel } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";
import { threads } from "../support/threads.js";

function payingAgent(memory = threads()) {
  const pay = fakeTool({ name: "pay", policy: { approval: "always" } });
  const model = scriptedModel([{ toolCalls: [{ name: "pay" }] }, "Paid.", "Hello."]);
  const options = { name: "a", tools: [pay], approver: askWhenResumed };
  return { memory, pay, model, agent: createAgent({ ...options, model, memory }), options };
}

const yes = (run: AgentRun): { readonly [id: string]: unknown } => ({ [run.requests[0]?.id ?? ""]: { approve: true } });

describe("a run that waits on a thread", () => {
  test("goes on when nobody else has used the thread (MEM-03)", async () => {
    const { agent, memory, pay } = payingAgent();
    const paused = await agent.invoke("Pay.", { threadId: "t" });
    const run = await agent.resume(paused.state, { answers: yes(paused) });
    expect([run.status, pay.calls.length, memory.saves.length]).toEqual(["completed", 1, 1]);
  });

  test("is refused before any tool runs when the thread has moved on (MEM-03)", async () => {
    const { agent, memory, pay, options } = payingAgent();
    const paused = await agent.invoke("Pay.", { threadId: "t" });
    const other = createAgent({ ...options, memory, model: scriptedModel(["Hello."]) });
    await other.invoke("Hi meanwhile.", { threadId: "t" });
    const going = agent.resume(paused.state, { answers: yes(paused) });
    await expect(going).rejects.toMatchObject({ code: "conflict", message: expect.stringContaining("another run") });
    expect(pay.calls).toHaveLength(0);
  });

  test("is told when the memory is not the one that it began with", async () => {
    const seeded = threads();
    const first = payingAgent(seeded);
    await createAgent({ ...first.options, memory: seeded, model: scriptedModel(["Hello."]) }).invoke("Hi.", {
      threadId: "t",
    });
    const paused = await first.agent.invoke("Pay.", { threadId: "t" });
    const elsewhere = createAgent({ ...first.options, memory: threads(), model: first.model });
    await expect(elsewhere.resume(paused.state, { answers: yes(paused) })).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("no such thread"),
    });
    expect(first.pay.calls).toHaveLength(0);
  });
});
