import { type Message, type Store, type ThreadState, TinyAgentsError, userMessage } from "@tinyagents/core";
import { shortTermMemory } from "@tinyagents/persistence";
import { memoryStore } from "@tinyagents/store-memory";
import { failAt } from "@tinyagents/testkit";
import { describe, expect, it } from "vitest";
import { answer, calls, result } from "./states.js";

function thread(...texts: readonly string[]): ThreadState {
  return { v: 1, messages: texts.map(userMessage) };
}

describe("the memory of a thread", () => {
  it("is nothing before it was saved (MEM-01)", async () => {
    expect(await shortTermMemory(memoryStore()).load("t1")).toBeUndefined();
  });

  it("gives back what was saved last, with its version (MEM-01)", async () => {
    const memory = shortTermMemory(memoryStore());
    const first = await memory.save("t1", thread("one"), { ifVersion: null });
    expect(await memory.load("t1")).toEqual({ state: thread("one"), version: first });
    const state: ThreadState = {
      v: 1,
      messages: [userMessage("two"), calls("c1"), result("c1"), answer("done")],
      middleware: { notes: { kept: [1, null] } },
    };
    const second = await memory.save("t1", state, { ifVersion: first });
    expect(second).not.toBe(first);
    expect(await memory.load("t1")).toEqual({ state, version: second });
  });

  it("is saved by one of two runs that loaded the same version; the other gets a conflict (MEM-03)", async () => {
    const memory = shortTermMemory(memoryStore());
    const first = await memory.save("t1", thread("one"), { ifVersion: null });
    const won = await memory.save("t1", thread("one", "two"), { ifVersion: first });
    await expect(memory.save("t1", thread("one", "other"), { ifVersion: first })).rejects.toMatchObject({
      code: "conflict",
      details: { resource: 'memory of thread "t1"', expected: first, found: won },
      message: expect.stringContaining("Another run has saved"),
    });
    await expect(memory.save("t1", thread("new"), { ifVersion: null })).rejects.toMatchObject({ code: "conflict" });
    expect((await memory.load("t1"))?.state).toEqual(thread("one", "two"));
  });

  it("is that of its thread alone, whatever the id is made of (MEM-02, SE-04, SE-06)", async () => {
    const memory = shortTermMemory(memoryStore());
    const ids = ["t", "t/1", "*", "%", "__proto__", "constructor", "../t", "' OR 1=1", "\u0000", " "];
    for (const id of ids) await memory.save(id, thread(`of ${id}`), { ifVersion: null });
    for (const id of ids) expect((await memory.load(id))?.state).toEqual(thread(`of ${id}`));
    expect(Object.getPrototypeOf({})).toBe(Object.prototype);
    await expect(memory.load("")).rejects.toMatchObject({ code: "invalid_request" });
  });

  it("lies under its prefix, beside whatever else the store holds (MEM-05)", async () => {
    const store = memoryStore();
    const [one, other] = [shortTermMemory(store), shortTermMemory(store, { prefix: ["app", "threads"] })];
    await one.save("t1", thread("one"), { ifVersion: null });
    await other.save("t1", thread("other"), { ifVersion: null });
    expect((await one.load("t1"))?.state).toEqual(thread("one"));
    const { items } = await store.list({ prefix: [] });
    expect(items.map(({ key }) => key)).toEqual([
      ["app", "threads", "t1"],
      ["memory", "t1"],
    ]);
  });

  it("does not change with the objects that were saved or loaded", async () => {
    const memory = shortTermMemory(memoryStore());
    const messages = [userMessage("one")];
    await memory.save("t1", { v: 1, messages }, { ifVersion: null });
    messages.push(userMessage("later"));
    const { state } = (await memory.load("t1"))!;
    (state.messages as Message[]).push(userMessage("later"));
    expect((await memory.load("t1"))?.state).toEqual(thread("one"));
  });
});

describe("a store that fails", () => {
  it("is memory_failed, with the thread, the operation and the cause", async () => {
    const memory = shortTermMemory(failAt(memoryStore(), 1, { methods: ["get", "put"], stayDown: true }).subject);
    await expect(memory.load("t1")).rejects.toMatchObject({
      code: "memory_failed",
      details: { threadId: "t1", operation: "load" },
      cause: { code: "store_failed" },
      retryable: false,
    });
    await expect(memory.save("t1", thread("one"), { ifVersion: null })).rejects.toMatchObject({
      code: "memory_failed",
      details: { threadId: "t1", operation: "save" },
    });
  });

  it("keeps its word on whether a repeat could help", async () => {
    const error = new TinyAgentsError("network", "gone", { details: {} });
    const memory = shortTermMemory(failAt(memoryStore(), 1, { methods: ["get"], error }).subject);
    await expect(memory.load("t1")).rejects.toMatchObject({ code: "memory_failed", retryable: true, cause: error });
  });

  it("and throws at once, or throws no error of ours, is memory_failed as well", async () => {
    const broken: Store = {
      ...memoryStore(),
      get() {
        throw new TypeError("no connection");
      },
      put: () => Promise.reject("a text"),
    };
    const memory = shortTermMemory(broken);
    await expect(memory.load("t1")).rejects.toMatchObject({
      code: "memory_failed",
      message: expect.stringContaining("no connection"),
    });
    await expect(memory.save("t1", thread("x"), { ifVersion: null })).rejects.toMatchObject({ code: "memory_failed" });
  });

  it("leaves what was saved before as it was when a save fails (MEM-03)", async () => {
    const store = memoryStore();
    const version = await shortTermMemory(store).save("t1", thread("one"), { ifVersion: null });
    const failing = shortTermMemory(failAt(store, 1).subject);
    await expect(failing.save("t1", thread("two"), { ifVersion: version })).rejects.toThrow();
    expect(await shortTermMemory(store).load("t1")).toEqual({ state: thread("one"), version });
  });

  it("says which value is not JSON, as the store does", async () => {
    const state = { ...thread("one"), middleware: { bad: Number.NaN } };
    const refused = shortTermMemory(memoryStore()).save("t1", state, { ifVersion: null });
    await expect(refused).rejects.toMatchObject({ message: expect.stringContaining("value.middleware.bad") });
    await expect(refused).rejects.toMatchObject({ code: "invalid_request" });
  });
});

describe("a record that was damaged", () => {
  it.each<readonly [string, unknown, string]>([
    ["is no object", [], ""],
    ["has no version", { messages: [] }, ".v"],
    ["has no messages", { v: 1 }, ".messages"],
    ["has a message without content", { v: 1, messages: [{ role: "user" }] }, ".messages[0].content"],
    ["has a block without type", { v: 1, messages: [{ role: "user", content: [{}] }] }, ".messages[0].content[0].type"],
    ["has middleware that is no object", { v: 1, messages: [], middleware: [] }, ".middleware"],
  ])("is not read when it %s: the error names the place", async (_, value, place) => {
    const store = memoryStore();
    await store.put(["memory", "t1"], { type: "json", value: value as never });
    await expect(shortTermMemory(store).load("t1")).rejects.toMatchObject({
      code: "corrupt_data",
      details: { place: `memory of thread "t1"${place}` },
    });
  });

  it("is not read when it is no JSON, or of a format of the future", async () => {
    const store = memoryStore();
    const memory = shortTermMemory(store);
    await store.put(["memory", "t1"], { type: "text", text: "{}" });
    await expect(memory.load("t1")).rejects.toMatchObject({ code: "corrupt_data" });
    await store.put(["memory", "t1"], { type: "json", value: { v: 2, messages: [] } });
    await expect(memory.load("t1")).rejects.toMatchObject({ code: "version_mismatch", details: { found: 2 } });
  });
});
