import { checkTaskStore, type TaskStoreSubject, taskStoreChecks, taskStoreUnderTest } from "@tinyagents/conformance";
import { describe, expect, it } from "vitest";
import { journalSubject } from "./journal-subject.js";
import { type TaskFault, taskPlace } from "./memory-tasks.js";
import { needsOneProcess, runOne, runOneForReal } from "./run-one.js";
import { cancelsTooLate, taskFaults } from "./task-faults.js";

/** How often a race is run again that nobody lost. */
const MOST_RACES = 15;
const LONG_MS = 120_000;

/** Those that one process can answer. The others have tests with processes. */
const NAMES = taskStoreChecks.filter(needsOneProcess).map(({ name }) => name);
const BETWEEN_PROCESSES = taskStoreChecks.filter((check) => !needsOneProcess(check)).map(({ name }) => name);

function subject(fault?: TaskFault, claims: { durable?: boolean; multiProcess?: boolean } = {}): TaskStoreSubject {
  return { name: "memory", create: () => taskPlace(fault, claims) };
}

describe("CNF-06 the suite of task stores", () => {
  it("has a name of its own for every check, and a fault that it must find", () => {
    expect(new Set(NAMES).size).toBe(NAMES.length);
    expect(Object.keys(taskFaults).sort()).toEqual(NAMES.toSorted());
  });

  it("passes a sound store that shares nothing with ours", async () => {
    const report = await checkTaskStore(subject());
    expect(report.results.filter(({ status }) => status === "passed").map(({ name }) => name)).toEqual(NAMES);
    expect(report).toMatchObject({ subject: "memory", ok: true, failed: 0 });
  });

  it("skips what a store does not claim, with the reason", async () => {
    const report = await checkTaskStore(subject(undefined, { durable: false, multiProcess: false }));
    const skipped = report.results.filter(({ status }) => status === "skipped").map(({ message }) => message);
    expect(new Set(skipped)).toEqual(
      new Set(["the store does not claim multiProcess", "the store does not claim durable"]),
    );
    expect(report.ok).toBe(true);
  });
});

describe("a task store with one fault is found out by the check (CNF-06)", () => {
  const all = [...Object.entries(taskFaults), ["does nothing when it is cancelled before", cancelsTooLate] as const];
  it.each(all)("%s", async (name, fault) => {
    const result = await runOne(taskStoreChecks, name, () => taskStoreUnderTest(subject(fault)));
    expect(result).toMatchObject({ status: "failed", message: expect.any(String) });
    expect(result.message).not.toContain("was not done within");
  });
});

describe("task stores of several processes (CNF-06, SUB-06, DG-11)", () => {
  it("have checks that a sound store passes", { timeout: LONG_MS }, async () => {
    const { results } = await checkTaskStore(journalSubject());
    expect(results.filter(({ status }) => status === "failed")).toEqual([]);
    const passed = results.filter(({ status }) => status === "passed").map(({ name }) => name);
    expect(passed).toEqual(expect.arrayContaining(BETWEEN_PROCESSES));
  });

  it.each(BETWEEN_PROCESSES)("are found out when they look before they act: %s", { timeout: LONG_MS }, async (name) => {
    const subjectOf = () => taskStoreUnderTest(journalSubject("looks_then_acts"));
    let result = await runOneForReal(taskStoreChecks, name, subjectOf);
    // Whether processes meet is left to chance: on a busy machine one may be done before the other begins.
    for (let again = 0; again < MOST_RACES && result.status === "passed"; again++)
      result = await runOneForReal(taskStoreChecks, name, subjectOf);
    expect(result).toMatchObject({ status: "failed", message: expect.not.stringContaining("was not done within") });
  });
});
