import { manualClock } from "@tinyagents/core";
import { describe, expect, it } from "vitest";
import { memoryAppendStore, memoryStore } from "../src/index.js";
import { appendStoreChecks } from "./append-store/checks.js";
import { listingChecks } from "./store/listing.js";
import type { StoreSubject } from "./store/subject.js";
import { valueChecks } from "./store/values.js";
import { writeChecks } from "./store/writes.js";

function freshStore(): StoreSubject {
  const clock = manualClock();
  return { store: memoryStore({ clock }), advance: (ms) => clock.advance(ms) };
}

describe("memoryStore (STO-05)", () => {
  for (const check of [...valueChecks, ...writeChecks, ...listingChecks]) it(check.name, () => check.run(freshStore()));

  it("says that it survives nothing, that batches are atomic and that records expire", () => {
    expect(memoryStore().capabilities).toEqual({ durable: false, atomicBatch: true, multiProcess: false, ttl: true });
  });

  it("gives equal versions for equal histories", async () => {
    const history = async (): Promise<readonly string[]> => {
      const { store } = freshStore();
      await store.put(["b"], { type: "text", text: "1" });
      await store.put(["a"], { type: "text", text: "2" });
      return (await store.list({ prefix: [] })).items.map(({ version }) => version);
    };
    expect(await history()).toEqual(await history());
  });

  it("goes by real time when it is given no clock", async () => {
    const store = memoryStore();
    await store.put(["a"], { type: "text", text: "1" }, { ttlMs: 60_000 });
    expect((await store.get(["a"]))?.updatedAtMs).toBeGreaterThan(1_600_000_000_000);
  });

  it("shares nothing with a second store", async () => {
    await memoryStore().put(["a"], { type: "text", text: "1" });
    expect(await memoryStore().get(["a"])).toBeUndefined();
  });
});

describe("memoryAppendStore (STO-05)", () => {
  for (const check of appendStoreChecks) it(check.name, () => check.run(memoryAppendStore()));

  it("says that it survives nothing and expires nothing", () => {
    expect(memoryAppendStore().capabilities).toEqual({ durable: false, multiProcess: false });
  });
});

it("exports its factories and nothing else", async () => {
  expect(Object.keys(await import("../src/index.js")).sort()).toEqual([
    "memoryAppendStore",
    "memoryBackend",
    "memoryStore",
  ]);
});
