import { createAgent } from "@tinyagents/harness";
import { shortTermMemory } from "@tinyagents/persistence";
import { memoryStore } from "@tinyagents/store-memory";
import { scriptedModel } from "@tinyagents/testkit";

/** Two runs on one thread and one on another, by agents that share nothing but the store. */
export async function remember() {
  const store = memoryStore();
  const ask = async (threadId: string, input: string): Promise<readonly string[]> => {
    const model = scriptedModel(["I see."]);
    const agent = createAgent({ name: "listener", model, memory: shortTermMemory(store) });
    await agent.invoke(input, { threadId });
    return (model.requests[0]?.messages ?? []).map(({ role }) => role);
  };
  return {
    first: await ask("t1", "My name is Ada."),
    second: await ask("t1", "What is my name?"),
    elsewhere: await ask("t2", "What is my name?"),
  };
}
