import { type Message, type ThreadState, TinyAgentsError, text, userMessage } from "@tinyagents/core";
import { keepLastTurns, keepSummary, type MemoryPolicy, shortTermMemory } from "@tinyagents/persistence";
import { memoryStore } from "@tinyagents/store-memory";
import { describe, expect, it } from "vitest";
import { answer } from "./states.js";

const SAVER = { runId: "r1", startedAtMs: 1 };
const three: ThreadState = {
  v: 1,
  messages: ["a", "b", "c"].flatMap((name): Message[] => [userMessage(name), answer(`${name}!`)]),
  middleware: { notes: { seen: 1 } },
  savedBy: SAVER,
};
const texts = (loaded: { readonly state: ThreadState } | undefined) => loaded?.state.messages.map(text);

/** A memory, and what is stored below it. */
function memoryWith(options: Parameters<typeof shortTermMemory>[1]) {
  const store = memoryStore();
  return { memory: shortTermMemory(store, options), plain: shortTermMemory(store) };
}

describe("a memory with a policy (MEM-04)", () => {
  it("changes nothing where none is given", async () => {
    const { memory } = memoryWith({});
    await memory.save("t", three, { ifVersion: null });
    expect((await memory.load("t"))?.state).toEqual(three);
  });

  it("on save stores what the policy gives", async () => {
    const { memory, plain } = memoryWith({ onSave: keepLastTurns(1) });
    await memory.save("t", three, { ifVersion: null });
    expect((await plain.load("t"))?.state).toEqual({ ...three, messages: three.messages.slice(4) });
  });

  it("on load gives what the policy gives, and leaves what is stored", async () => {
    const { memory, plain } = memoryWith({ onLoad: keepLastTurns(2) });
    const version = await memory.save("t", three, { ifVersion: null });
    expect(await memory.load("t")).toEqual({ state: { ...three, messages: three.messages.slice(2) }, version });
    expect((await plain.load("t"))?.state).toEqual(three);
  });

  it("asks none about a thread that nobody has saved", async () => {
    const { memory } = memoryWith({ onLoad: () => Promise.reject(new Error("asked")) });
    expect(await memory.load("t")).toBeUndefined();
  });

  it("takes policies of anybody, and keeps who saved the thread whatever they give", async () => {
    const forgetting: MemoryPolicy = (_, { threadId }) => ({ v: 1, messages: [userMessage(`of ${threadId}`)] });
    const { memory, plain } = memoryWith({ onSave: forgetting });
    await memory.save("t", three, { ifVersion: null });
    expect((await plain.load("t"))?.state).toEqual({ v: 1, messages: [userMessage("of t")], savedBy: SAVER });
    const lying: MemoryPolicy = (state) => ({ ...state, savedBy: { runId: "other", startedAtMs: 2 } });
    const second = memoryWith({ onSave: lying });
    await second.memory.save("t", three, { ifVersion: null });
    expect((await second.plain.load("t"))?.state.savedBy).toEqual(SAVER);
  });

  const refused = new TinyAgentsError("provider_overloaded", "busy", { details: { provider: "test" } });
  it.each<readonly [string, MemoryPolicy, object]>([
    [
      "throws",
      () => {
        throw new Error("out of words");
      },
      { retryable: false, message: expect.stringContaining("out of words") },
    ],
    ["fails with an error of ours", () => Promise.reject(refused), { retryable: true, cause: refused }],
    ["gives nothing", (() => undefined) as never, { message: expect.stringContaining("what it gave") }],
    [
      "gives messages that are none",
      (() => ({ v: 1, messages: [{ role: "user" }] })) as never,
      { message: expect.stringContaining("what it gave.messages[0].content") },
    ],
    [
      "gives a summary that is none",
      keepSummary({ summarize: () => "short" as never, keepTurns: 1, maxTurns: 1 }),
      { message: expect.stringContaining("summary") },
    ],
  ])("that %s fails the load or the save, and leaves what is stored", async (_, policy, expected) => {
    const { memory, plain } = memoryWith({ onLoad: policy, onSave: policy });
    const version = await plain.save("t", three, { ifVersion: null });
    await expect(memory.load("t")).rejects.toMatchObject({
      code: "memory_failed",
      details: { threadId: "t", operation: "load" },
      ...expected,
    });
    await expect(memory.save("t", three, { ifVersion: version })).rejects.toMatchObject({
      code: "memory_failed",
      details: { threadId: "t", operation: "save" },
      ...expected,
    });
    expect(await plain.load("t")).toEqual({ state: three, version });
  });

  it("hands on the signal, and saves nothing once it has aborted (MEM-03)", async () => {
    const controller = new AbortController();
    const stopped: MemoryPolicy = (state, { signal }) => {
      expect(signal).toBe(controller.signal);
      controller.abort();
      return state;
    };
    const { memory, plain } = memoryWith({ onSave: stopped });
    const { signal } = controller;
    const saving = memory.save("t", three, { ifVersion: null, signal });
    await expect(saving).rejects.toMatchObject({ code: "cancelled" });
    expect(await plain.load("t")).toBeUndefined();
    await expect(memory.load("t", { signal })).rejects.toMatchObject({ code: "cancelled" });
    await expect(plain.save("t", three, { ifVersion: null, signal })).rejects.toMatchObject({ code: "cancelled" });
  });

  it("that is no function is refused at once", () => {
    expect(() => shortTermMemory(memoryStore(), { onSave: 3 as never })).toThrow(TypeError);
    expect(() => shortTermMemory(memoryStore(), { onLoad: "last" as never })).toThrow(TypeError);
  });

  it("may summarize: earlier summaries go into the next", async () => {
    const policy = keepSummary({
      keepTurns: 1,
      maxTurns: 2,
      summarize: async (messages) => userMessage(`[${messages.map(text).join(" ")}]`),
    });
    const { memory } = memoryWith({ onSave: policy });
    const version = await memory.save("t", three, { ifVersion: null });
    expect(texts(await memory.load("t"))).toEqual(["[a a! b b!]", "c", "c!"]);
    const { state } = (await memory.load("t"))!;
    const more = ["d", "e"].flatMap((name): Message[] => [userMessage(name), answer(`${name}!`)]);
    await memory.save("t", { ...state, messages: [...state.messages, ...more] }, { ifVersion: version });
    expect(texts(await memory.load("t"))).toEqual(["[[a a! b b!] c c! d d!]", "e", "e!"]);
  });
});
