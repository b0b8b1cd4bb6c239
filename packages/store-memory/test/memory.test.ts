import { manualClock, type Store } from "@tinyagents/core";
import { describe, expect, it } from "vitest";
import { type MemoryStoreOptions, memoryAppendStore, memoryBackend, memoryStore } from "../src/index.js";

async function versionsOf(store: Store): Promise<readonly string[]> {
  await store.put(["b"], { type: "text", text: "1" });
  await store.put(["a"], { type: "text", text: "2" });
  return (await store.list({ prefix: [] })).items.map(({ version }) => version);
}

describe("memoryStore (STO-05)", () => {
  it("says that it survives nothing, that batches are atomic and that records expire", () => {
    expect(memoryStore().capabilities).toEqual({ durable: false, atomicBatch: true, multiProcess: false, ttl: true });
  });

  it("gives equal versions for equal histories", async () => {
    expect(await versionsOf(memoryStore())).toEqual(await versionsOf(memoryStore({ clock: manualClock() })));
  });

  it("goes by real time when it is given no clock", async () => {
    const store = memoryStore();
    await store.put(["a"], { type: "text", text: "1" }, { ttlMs: 60_000 });
    expect((await store.get(["a"]))?.updatedAtMs).toBeGreaterThan(1_600_000_000_000);
  });

  it("refuses options that cannot be, at once", () => {
    const options = { clock: Date } as unknown as MemoryStoreOptions;
    expect(() => memoryStore(options)).toThrow("memoryStore: options.clock: a Clock is expected");
    expect(() => memoryBackend(options)).toThrow(new TypeError("memoryBackend: options.clock: a Clock is expected"));
  });

  it("shares nothing with a second store", async () => {
    await memoryStore().put(["a"], { type: "text", text: "1" });
    expect(await memoryStore().get(["a"])).toBeUndefined();
  });
});

describe("memoryAppendStore (STO-05)", () => {
  it("says that it survives nothing and is for one process", () => {
    expect(memoryAppendStore().capabilities).toEqual({ durable: false, multiProcess: false, follow: true });
  });
});

describe("memoryBackend (STO-05)", () => {
  it("closes both of its stores, and says which call needs them open", async () => {
    const { store, log, close } = memoryBackend();
    await close();
    await expect(store.get(["a"])).rejects.toThrow("The memory store is closed; get needs one that is open.");
    await expect(log.head("s")).rejects.toMatchObject({ details: { store: "memory log", operation: "head" } });
  });
});

it("exports its factories and nothing else", async () => {
  const exported = Object.keys(await import("../src/index.js")).sort();
  expect(exported).toEqual(["memoryAppendStore", "memoryBackend", "memoryStore"]);
});
