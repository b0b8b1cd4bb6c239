import { checkTaskStore, type TaskStoreSubject, taskStoreChecks, taskStoreUnderTest } from "@tinyagents/conformance";
import { describe, expect, it } from "vitest";
import { type TaskFault, taskPlace } from "./memory-tasks.js";
import { runOne } from "./run-one.js";
import { cancelsTooLate, taskFaults } from "./task-faults.js";

const NAMES = taskStoreChecks.map(({ name }) => name);

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
    expect(report.results.filter(({ status }) => status !== "passed")).toEqual([]);
    expect(report).toMatchObject({ subject: "memory", ok: true, passed: NAMES.length });
  });

  it("skips what a store does not claim, with the reason", async () => {
    const report = await checkTaskStore(subject(undefined, { durable: false, multiProcess: false }));
    const skipped = report.results.filter(({ status }) => status === "skipped").map(({ message }) => message);
    expect(skipped).toEqual(["the store does not claim multiProcess", "the store does not claim durable"]);
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
