import { checkStore, type StoreSubject, storeChecks, storeUnderTest } from "@tinyagents/conformance";
import type { StoreCapabilities } from "@tinyagents/core";
import { describe, expect, it } from "vitest";
import { type StoreFault, storePlace } from "./memory-store.js";
import { needsOneProcess, runOne } from "./run-one.js";
import { storeFaults } from "./store-faults.js";

/** Those that one process can answer. The others have tests with processes. */
const NAMES = storeChecks.filter(needsOneProcess).map(({ name }) => name);

function subject(fault?: StoreFault, claims?: Partial<StoreCapabilities>): StoreSubject {
  return { name: "memory", create: () => storePlace(fault, claims) };
}

describe("CNF-04 the store suite", () => {
  it("has a name of its own for every check, and a fault that it must find", () => {
    expect(new Set(NAMES).size).toBe(NAMES.length);
    expect(Object.keys(storeFaults).sort()).toEqual(NAMES.toSorted());
  });

  it("passes a sound store", async () => {
    const report = await checkStore(subject());
    expect(report.results.filter(({ status }) => status === "passed").map(({ name }) => name)).toEqual(NAMES);
    expect(report).toMatchObject({
      subject: "memory",
      ok: true,
      failed: 0,
      skipped: storeChecks.length - NAMES.length,
    });
  });
});

describe("a store with one fault is found out by the check (CNF-04)", () => {
  for (const [name, fault] of Object.entries(storeFaults)) {
    it(name, async () => {
      const result = await runOne(storeChecks, name, () => storeUnderTest(subject(fault)));
      expect(result).toMatchObject({ status: "failed", message: expect.any(String) });
      expect(result.message).not.toContain("was not done within");
    });
  }
});

describe("what a store does not claim (CNF-04)", () => {
  const nothing = { durable: false, multiProcess: false, atomicBatch: false, ttl: false };

  it("is skipped, with the reason, and never passed", async () => {
    const report = await checkStore(subject(undefined, nothing));
    expect(report.results.filter(({ status }) => status === "failed")).toEqual([]);
    const skipped = report.results.filter(({ status }) => status === "skipped").map(({ message }) => message);
    expect(new Set(skipped)).toEqual(new Set(Object.keys(nothing).map((name) => `the store does not claim ${name}`)));
    expect(skipped).toHaveLength(16);
  });

  it("must be refused: an expiry that nobody keeps", async () => {
    const check = "no longer has a record whose time is over, and still has the others";
    const fault = storeFaults[check] as StoreFault;
    const result = await runOne(storeChecks, check, () => storeUnderTest(subject(fault, { ttl: false })));
    expect(result.status).toBe("failed");
  });

  it("must not be hidden: a batch that goes on after a write that failed", async () => {
    const goesOn: StoreFault = (store) => ({
      ...store,
      async batch(operations) {
        for (const operation of operations) await store.batch([operation]).catch(() => undefined);
        return [];
      },
    });
    const check = "does nothing of a batch in which one condition fails";
    const result = await runOne(storeChecks, check, () => storeUnderTest(subject(goesOn, { atomicBatch: false })));
    expect(result.status).toBe("failed");
  });
});

describe("a place without a clock or a close", () => {
  it("is asked only what can be asked of it", async () => {
    const create = () => {
      const { open } = storePlace();
      return { open: async () => ({ store: (await open()).store }) };
    };
    const ask = (name: string) => runOne(storeChecks, name, () => storeUnderTest({ name: "bare", create }));
    expect(await ask("notes when a record was written last")).toMatchObject({
      status: "skipped",
      message: "the time of this store cannot be moved",
    });
    const closed = await ask("fails every call with store_failed once it is closed, however often it is closed");
    expect(closed).toMatchObject({ status: "skipped", message: "this store has nothing to close" });
  });

  it("is taken away once everything on it is closed, also when a check fails", async () => {
    const calls: string[] = [];
    const create = () => ({
      open: () => ({
        store: {} as never,
        close: async () => void calls.push("close"),
      }),
      remove: async () => void calls.push("remove"),
    });
    const name = "gives nothing for a key that was never written";
    const result = await runOne(storeChecks, name, () => storeUnderTest({ name: "broken", create }));
    expect([result.status, ...calls]).toEqual(["failed", "close", "remove"]);
  });
});
