import {
  type AppendStoreSubject,
  appendStoreChecks,
  appendStoreUnderTest,
  checkAppendStore,
} from "@tinyagents/conformance";
import type { LogCapabilities } from "@tinyagents/core";
import { describe, expect, it } from "vitest";
import { followFaults } from "./follow-faults.js";
import { logFaults } from "./log-faults.js";
import { type LogFault, logPlace } from "./memory-log.js";
import { needsOneProcess, runOne, runOneForReal } from "./run-one.js";

/** Those that one process can answer. The others have tests with processes. */
const NAMES = appendStoreChecks.filter(needsOneProcess).map(({ name }) => name);

function subject(fault?: LogFault, claims?: Partial<LogCapabilities>): AppendStoreSubject {
  return { name: "memory", create: () => logPlace(fault, claims) };
}

describe("CNF-04 the log suite", () => {
  it("has a name of its own for every check, and a fault that it must find", () => {
    expect(new Set(NAMES).size).toBe(NAMES.length);
    const found = new Set([...Object.keys(logFaults), ...followFaults.map(([name]) => name)]);
    expect([...found].sort()).toEqual(NAMES.toSorted());
  });

  it("passes a sound log", async () => {
    const report = await checkAppendStore(subject());
    expect(report.results.filter(({ status }) => status === "passed").map(({ name }) => name)).toEqual(NAMES);
    expect(report).toMatchObject({
      subject: "memory",
      ok: true,
      failed: 0,
      skipped: appendStoreChecks.length - NAMES.length,
    });
  });

  it("skips what a log does not claim, with the reason", async () => {
    const report = await checkAppendStore(subject(undefined, { durable: false, multiProcess: false, follow: false }));
    const skipped = report.results.filter(({ status }) => status === "skipped").map(({ message }) => message);
    expect(new Set(skipped)).toEqual(
      new Set(["durable", "multiProcess", "follow"].map((name) => `the log does not claim ${name}`)),
    );
    expect(skipped).toHaveLength(18);
    expect(report.ok).toBe(true);
  });
});

describe("a log with one fault is found out by the check (CNF-04)", () => {
  for (const [name, fault] of Object.entries(logFaults)) {
    it(name, async () => {
      const result = await runOne(appendStoreChecks, name, () => appendStoreUnderTest(subject(fault)));
      expect(result).toMatchObject({ status: "failed", message: expect.any(String) });
      expect(result.message).not.toContain("was not done within");
    });
  }
});

describe("a log that is followed, with one fault, is found out by the check (CNF-04)", () => {
  it.concurrent.each(followFaults)("%s: one that %s", { timeout: 30_000 }, async (name, _, fault) => {
    const result = await runOneForReal(appendStoreChecks, name, () => appendStoreUnderTest(subject(fault)));
    expect(result).toMatchObject({ status: "failed", message: expect.not.stringContaining("was not done within") });
  });

  it("is one that has no watch where it does not claim to be followed", async () => {
    const watched: LogFault = (log) => ({ ...log, watch: async () => () => undefined });
    const unclaimed = () => appendStoreUnderTest(subject(watched, { follow: false }));
    const [[name] = [""]] = followFaults;
    expect(await runOneForReal(appendStoreChecks, name, unclaimed)).toMatchObject({
      status: "failed",
      message: "the log has a watch, and does not claim follow",
    });
  });
});
