import { type Middleware, type ModelRequest, storeRegistry, userMessage } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { shortTermMemory } from "@tinyagents/persistence";
import { memoryStore } from "@tinyagents/store-memory";
import { scriptedModel } from "@tinyagents/testkit";
import { describe, expect, it } from "vitest";

const NOTE = "The cellar is flooded.";

/** What a model is sent by a run whose stores and memory are one store that has a note in it. */
async function sentWith(middleware: readonly Middleware[]): Promise<string> {
  const store = memoryStore();
  await store.put(["notes", "t1"], { type: "text", text: NOTE });
  const requests: ModelRequest[] = [];
  const model = scriptedModel([
    (request) => {
      requests.push(request);
      return "Fine.";
    },
  ]);
  const stores = storeRegistry({ stores: { notes: store } });
  const agent = createAgent({ name: "keeper", model, memory: shortTermMemory(store), stores, middleware });
  await agent.invoke("How is the house?", { threadId: "t1" });
  expect(requests).toHaveLength(1);
  return JSON.stringify(requests);
}

describe("what is stored (STO-16)", () => {
  it("is in no prompt by itself", async () => {
    expect(await sentWith([])).not.toContain(NOTE);
  });

  it("is in a prompt when middleware puts it there", async () => {
    const reminder: Middleware = {
      name: "reminder",
      async beforeModel(request, { stores }) {
        const record = await stores.store("notes").get(["notes", "t1"]);
        if (record?.value.type !== "text") return undefined;
        return { replace: { ...request, messages: [...request.messages, userMessage(record.value.text)] } };
      },
    };
    expect(await sentWith([reminder])).toContain(NOTE);
  });
});
