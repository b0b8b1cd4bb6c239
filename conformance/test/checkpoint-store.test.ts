import {
  type CheckpointStoreSubject,
  checkCheckpointStore,
  checkpointStoreChecks,
  checkpointStoreUnderTest,
  runCheck,
} from "@tinyagents/conformance";
import { describe, expect, it } from "vitest";
import { checkpointFaults } from "./checkpoint-faults.js";
import { journalSubject } from "./journal-subject.js";
import { type CheckpointFault, checkpointPlace } from "./memory-checkpoints.js";
import { needsOneProcess, runOne } from "./run-one.js";

/** Those that one process can answer. The others have tests with processes. */
const NAMES = checkpointStoreChecks.filter(needsOneProcess).map(({ name }) => name);

function subject(fault?: CheckpointFault, claims: { durable?: boolean; multiProcess?: boolean } = {}) {
  return { name: "memory", create: () => checkpointPlace(fault, claims) } satisfies CheckpointStoreSubject;
}

describe("CNF-06 the suite of checkpoint stores", () => {
  it("has a name of its own for every check, and a fault that it must find", () => {
    expect(new Set(NAMES).size).toBe(NAMES.length);
    expect(Object.keys(checkpointFaults).sort()).toEqual(NAMES.toSorted());
  });

  it("passes a sound store that shares nothing with ours (CKP-03)", async () => {
    const report = await checkCheckpointStore(subject());
    expect(report.results.filter(({ status }) => status === "passed").map(({ name }) => name)).toEqual(NAMES);
    expect(report).toMatchObject({ subject: "memory", ok: true, failed: 0 });
  });

  it("skips what a store does not claim, with the reason", async () => {
    const report = await checkCheckpointStore(subject(undefined, { durable: false, multiProcess: false }));
    const skipped = report.results.filter(({ status }) => status === "skipped").map(({ message }) => message);
    expect(new Set(skipped)).toEqual(
      new Set(["the store does not claim durable", "the store does not claim multiProcess"]),
    );
  });
});

describe("checkpoint stores of several processes (CNF-06, DG-11, DG-13)", () => {
  const [check] = checkpointStoreChecks.filter((one) => !needsOneProcess(one));

  it("have a check that a sound store passes", { timeout: 120_000 }, async () => {
    const { result } = await runCheck(check!, () => checkpointStoreUnderTest(journalSubject()));
    expect(result).toMatchObject({ status: "passed" });
  });

  it("are found out when they look at the head before they write, and not while they do", {
    timeout: 120_000,
  }, async () => {
    const { result } = await runCheck(check!, () => checkpointStoreUnderTest(journalSubject("forks_threads")));
    expect(result).toMatchObject({ status: "failed", message: expect.not.stringContaining("was not done within") });
  });
});

describe("a checkpoint store with one fault is found out by the check (CNF-06)", () => {
  for (const [name, fault] of Object.entries(checkpointFaults)) {
    it(name, async () => {
      const result = await runOne(checkpointStoreChecks, name, () => checkpointStoreUnderTest(subject(fault)));
      expect(result).toMatchObject({ status: "failed", message: expect.any(String) });
      expect(result.message).not.toContain("was not done within");
    });
  }
});
