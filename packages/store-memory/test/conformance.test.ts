import { checkAppendStore, checkStore } from "@tinyagents/conformance";
import { appendStoreConformance, storeConformance } from "@tinyagents/conformance/vitest";
import { manualClock } from "@tinyagents/core";
import { describe, expect, it } from "vitest";
import { memoryAppendStore, memoryBackend, memoryStore } from "../src/index.js";

/** A backend whose time a check can move, for both suites. */
const backend = {
  name: "memoryBackend (STO-01, STO-02, STO-03, STO-05, CNF-04)",
  create: () => {
    const clock = manualClock();
    return { open: () => memoryBackend({ clock }), advance: (ms: number) => clock.advance(ms) };
  },
};

storeConformance(backend);
appendStoreConformance(backend);

describe("stores without a backend (STO-05)", () => {
  it("keep the contracts too, where there is nothing to close", async () => {
    const clock = manualClock();
    const open = () => ({ store: memoryStore({ clock }) });
    const store = await checkStore({
      name: "memoryStore",
      create: () => ({ open, advance: (ms) => clock.advance(ms) }),
    });
    expect(store.results.filter(({ status }) => status === "failed")).toEqual([]);
    const log = { name: "memoryAppendStore", create: () => ({ open: () => ({ log: memoryAppendStore() }) }) };
    expect((await checkAppendStore(log)).results.filter(({ status }) => status === "failed")).toEqual([]);
  });
});

describe("what the memory does not claim (CNF-04)", () => {
  it("is skipped, with the reason: it outlives nothing and belongs to one process", async () => {
    const reports = [await checkStore(backend), await checkAppendStore(backend)];
    const skipped = reports.map(({ results }) => results.filter(({ status }) => status === "skipped"));
    expect(new Set(skipped.flat().map(({ message }) => message))).toEqual(
      new Set([
        "the store does not claim durable",
        "the store does not claim multiProcess",
        "the log does not claim durable",
        "the log does not claim multiProcess",
      ]),
    );
  });
});
