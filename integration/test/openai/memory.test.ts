import { createAgent } from "@tinyagents/harness";
import { shortTermMemory } from "@tinyagents/persistence";
import { memoryStore } from "@tinyagents/store-memory";
import { failAt } from "@tinyagents/testkit";
import type { WireEntry } from "@tinyagents/testkit/wire";
import { describe, expect, it } from "vitest";
import { sent, served } from "./world.js";

const HELLO = "My name is Ada.";

async function assistant(script: readonly WireEntry[], store = memoryStore()) {
  const { server, model } = await served(script);
  const agent = createAgent({
    name: "assistant",
    model,
    memory: shortTermMemory(store),
    policies: { retry: { maxAttempts: 1 } },
  });
  return { agent, server, store, stored: () => store.get(["memory", "t1"]) };
}

describe("the memory of a thread, over the wire", () => {
  it("puts the first run's conversation before the second run's question, in a new agent too (MEM-02)", async () => {
    const { agent, store } = await assistant(["Hello, Ada."]);
    await agent.invoke(HELLO, { threadId: "t1" });
    const later = await assistant(["Ada."], store);
    const run = await later.agent.invoke("What is my name?", { threadId: "t1" });
    later.server.assertDone();
    expect(sent(later.server, 1).map(({ role, content }) => [role, content])).toEqual([
      ["user", HELLO],
      ["assistant", "Hello, Ada."],
      ["user", "What is my name?"],
    ]);
    expect(run.newMessages).toHaveLength(2);
    expect(run.messages).toHaveLength(4);
  });

  it("is not there for another thread, and a run without a thread neither reads nor writes it (MEM-02)", async () => {
    const { agent, server, store } = await assistant(["Hello, Ada.", "I do not know.", "I do not know."]);
    await agent.invoke(HELLO, { threadId: "t1" });
    await agent.invoke("What is my name?", { threadId: "t2" });
    await agent.invoke("What is my name?");
    expect(sent(server, 2)).toHaveLength(1);
    expect(sent(server, 3)).toHaveLength(1);
    const { items } = await store.list({ prefix: [] });
    expect(items.map(({ key }) => key)).toEqual([
      ["memory", "t1"],
      ["memory", "t2"],
    ]);
  });

  it("stays as it was after a run that failed or was cancelled (MEM-03)", async () => {
    const { agent, server, stored } = await assistant([
      "Hello, Ada.",
      { status: 401 },
      { text: "Half of it", faults: [{ type: "silence" }] },
    ]);
    await agent.invoke(HELLO, { threadId: "t1" });
    const before = await stored();
    await expect(agent.invoke("Again?", { threadId: "t1" })).rejects.toMatchObject({ code: "provider_auth" });
    expect(await stored()).toEqual(before);
    const controller = new AbortController();
    const cancelled = agent.invoke("Again?", { threadId: "t1", signal: controller.signal });
    await server.received(3);
    controller.abort();
    await expect(cancelled).rejects.toMatchObject({ code: "cancelled" });
    expect(await stored()).toEqual(before);
  });

  it("is read before the model is asked anything: when it cannot be, no request is made (MEM-03)", async () => {
    const { server, model } = await served(["Hello, Ada."]);
    const memory = shortTermMemory(failAt(memoryStore(), 1, { methods: ["get"] }).subject);
    const agent = createAgent({ name: "assistant", model, memory });
    await expect(agent.invoke(HELLO, { threadId: "t1" })).rejects.toMatchObject({ code: "memory_failed" });
    expect(server.requests).toHaveLength(0);
  });

  it("of two runs at once on a thread is that of one; the other gets a conflict (MEM-03)", async () => {
    let letGo = (): void => {};
    const gate = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const { agent, server, stored } = await assistant([{ text: "First.", gate }, { text: "Second." }]);
    const first = agent.invoke("One?", { threadId: "t1" });
    await server.received(1);
    await agent.invoke("Two?", { threadId: "t1" });
    const after = await stored();
    letGo();
    await expect(first).rejects.toMatchObject({ code: "conflict" });
    expect(await stored()).toEqual(after);
  });
});
