import { type ShortTermMemory, TinyAgentsError, userMessage } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { scriptedModel } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";
import { failureOf } from "../support/failures.js";

/** A memory that gives whatever it is told to. */
const memoryOf = (loaded: unknown, saved: { readonly version: unknown } = { version: "2" }): ShortTermMemory => ({
  load: async () => loaded as never,
  save: async () => saved.version as never,
});
const state = { v: 1, messages: [userMessage("I am Ann.")] };

async function failing(memory: ShortTermMemory) {
  const model = scriptedModel(["Hello."]);
  const agent = createAgent({ name: "a", model, memory });
  return { ...(await failureOf(agent.invoke("Hi", { threadId: "t" }))), model };
}

describe("a memory that gives what is no thread (MEM-01)", () => {
  test.each<[unknown, string]>([
    [5, "what it gave: an object is expected, a number found"],
    [[], "what it gave: an object is expected, an array found"],
    [{}, "state: an object is expected, nothing found"],
    [{ state: null, version: "1" }, "state: an object is expected, null found"],
    [{ state: { v: 1 }, version: "1" }, "state.messages: an array is expected, nothing found"],
    [{ state: { messages: [] }, version: "1" }, "state.v: a format version is expected"],
    [{ state: { ...state, messages: "hi" }, version: "1" }, "state.messages: an array is expected, a string found"],
    [{ state: { ...state, messages: [null] }, version: "1" }, "state.messages[0]: an object is expected, null found"],
    [{ state: { ...state, messages: [{ role: "user", content: "hi" }] }, version: "1" }, "state.messages[0].content"],
    [{ state: { ...state, messages: [{ role: "user", content: [5] }] }, version: "1" }, "state.messages[0].content[0]"],
    [{ state: { ...state, middleware: [] }, version: "1" }, "state.middleware: an object is expected, an array found"],
    [{ state }, "version: a string is expected, nothing found"],
    [{ state, version: 1 }, "version: a string is expected, a number found"],
  ])("fails the run with the place that is wrong, before a model is asked (%#)", async (loaded, said) => {
    const { error, run, model } = await failing(memoryOf(loaded));
    expect(error).toMatchObject({ code: "memory_failed", details: { threadId: "t", operation: "load" } });
    expect(error.message).toContain(said);
    expect(model.calls).toEqual([]);
    expect(run.messages).toEqual([userMessage("Hi")]);
  });

  test("but one of a later format fails it with that", async () => {
    const { error } = await failing(memoryOf({ state: { ...state, v: 2 }, version: "1" }));
    expect(error).toMatchObject({ code: "version_mismatch", details: { expected: 1, found: 2 } });
  });

  test.each<[unknown]>([[undefined], [null]])("but %j is a thread that nobody has saved", async (loaded) => {
    const agent = createAgent({ name: "a", model: scriptedModel(["Hello."]), memory: memoryOf(loaded) });
    expect((await agent.invoke("Hi", { threadId: "t" })).text).toBe("Hello.");
  });

  test.each<[unknown]>([[undefined], [2], [null], [{}]])(
    "fails the run when it saves and gives %j in place of a version (MEM-03)",
    async (version) => {
      const { error } = await failing(memoryOf(undefined, { version }));
      expect(error).toMatchObject({ code: "memory_failed", details: { threadId: "t", operation: "save" } });
      expect(error.message).toContain("it gave no version");
    },
  );

  test("fails a resumption too, also where it throws without a code", async () => {
    let memory = memoryOf(undefined);
    const broken = new TinyAgentsError("provider_auth", "no key", { details: { provider: "test" } });
    const agent = createAgent({
      name: "a",
      model: scriptedModel([{ error: broken }]),
      memory: { load: (id) => memory.load(id), save: (id, thread, options) => memory.save(id, thread, options) },
    });
    const { run } = await failureOf(agent.invoke("Hi", { threadId: "t" }));
    memory = memoryOf("fog");
    await expect(agent.resume(run.state)).rejects.toMatchObject({ code: "memory_failed" });
    memory = { ...memory, load: () => Promise.reject(new Error("disk")) };
    await expect(agent.resume(run.state)).rejects.toMatchObject({ code: "memory_failed" });
  });
});
