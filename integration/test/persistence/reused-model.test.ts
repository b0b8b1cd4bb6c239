import { modelRegistry, userMessage } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { keepLastTurns, keepSummary, type MemoryPolicy, shortTermMemory } from "@tinyagents/persistence";
import { memoryStore } from "@tinyagents/store-memory";
import { scriptedModel } from "@tinyagents/testkit";
import { describe, expect, it } from "vitest";

const POLICIES: { readonly [name: string]: MemoryPolicy } = {
  "only its last turn is kept": keepLastTurns(1),
  "a summary stands for its earlier turns": keepSummary({
    summarize: () => userMessage("They talked."),
    keepTurns: 1,
    maxTurns: 1,
  }),
};

describe("the model that answered a thread before (RES-04)", () => {
  it.each(Object.entries(POLICIES))("answers again in every later turn, also where %s", async (_, policy) => {
    const always = (name: string) => scriptedModel(Array(8).fill(name), { id: `test/${name}` });
    const models = modelRegistry({ models: { large: always("large") } });
    const memory = shortTermMemory(memoryStore(), { onSave: policy });
    const agent = createAgent({ name: "a", model: always("own"), models, memory, settings: { reuseModel: true } });
    await agent.invoke("Hi", { threadId: "t", model: "large" });
    for (const question of ["And?", "So?", "Then?"])
      expect((await agent.invoke(question, { threadId: "t" })).text).toBe("large");
    expect((await agent.invoke("And here?", { threadId: "other" })).text).toBe("own");
    expect((await agent.invoke("Anew?", { threadId: "t", reuseModel: false })).text).toBe("own");
    expect((await agent.invoke("And now?", { threadId: "t" })).text).toBe("own");
  });
});
