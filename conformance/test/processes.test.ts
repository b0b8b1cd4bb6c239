import {
  appendStoreChecks,
  appendStoreUnderTest,
  checkAppendStore,
  checkStore,
  storeChecks,
  storeUnderTest,
} from "@tinyagents/conformance";
import { describe, expect, it } from "vitest";
import type { JournalFault } from "./journal-faults.js";
import { journalSubject } from "./journal-subject.js";
import { runOneForReal } from "./run-one.js";

const LONG_MS = 120_000;

function namesOf(checks: readonly { readonly name: string; readonly needs?: readonly string[] }[]): readonly string[] {
  return checks.filter(({ needs }) => needs?.includes("processes")).map(({ name }) => name);
}

describe("a sound backend that is durable and for several processes (CNF-04)", () => {
  it("passes the store suite; only exact times are not asked of it", { timeout: LONG_MS }, async () => {
    const { results } = await checkStore(journalSubject());
    expect(results.filter(({ status }) => status === "failed")).toEqual([]);
    const skipped = results.filter(({ status }) => status === "skipped").map(({ message }) => message);
    expect(new Set(skipped)).toEqual(new Set(["the time of this store cannot be moved"]));
  });

  it("passes the log suite, with nothing skipped", { timeout: LONG_MS }, async () => {
    const { results } = await checkAppendStore(journalSubject());
    expect(results.filter(({ status }) => status !== "passed")).toEqual([]);
  });
});

/** For every check with several processes, a fault that no check of one process finds. */
const storeFaults: { readonly [check: string]: JournalFault } = {
  "lets exactly one of several processes win each key that all want to create": "looks_then_writes",
  "loses no change of processes that read, write over what they read, and try again": "looks_then_writes",
  "lets several processes write different records at once without a failure": "busy",
};
const logFaults: { readonly [check: string]: JournalFault } = {
  "lets exactly one of several processes win each offset that all want to append at": "looks_then_writes",
  "keeps what several processes append at once, each append side by side at the offset it was given":
    "looks_then_writes",
  "adds once what several processes append under one key, and tells all the same offset": "looks_then_writes",
  "lets processes that move one thread, its log and then its record, neither fork it nor lose a move":
    "looks_then_writes",
  "calls back in one process when another has appended": "deaf",
};

describe("a fault between processes is found out by the check (CNF-04, DG-11, ST-01, ST-09)", () => {
  it("has a fault for every check", () => {
    expect(Object.keys(storeFaults)).toEqual(namesOf(storeChecks));
    expect(Object.keys(logFaults)).toEqual(namesOf(appendStoreChecks));
  });

  for (const [name, fault] of Object.entries(storeFaults)) {
    it(`store: ${name}`, { timeout: LONG_MS }, async () => {
      const result = await runOneForReal(storeChecks, name, () => storeUnderTest(journalSubject(fault)));
      expect(result).toMatchObject({ status: "failed", message: expect.not.stringContaining("was not done within") });
    });
  }

  for (const [name, fault] of Object.entries(logFaults)) {
    it(`log: ${name}`, { timeout: LONG_MS }, async () => {
      const result = await runOneForReal(appendStoreChecks, name, () => appendStoreUnderTest(journalSubject(fault)));
      expect(result).toMatchObject({ status: "failed", message: expect.not.stringContaining("was not done within") });
    });
  }
});

describe("a subject that other processes cannot open (CNF-04)", () => {
  it("has those checks skipped, with what it lacks", { timeout: LONG_MS }, async () => {
    const { name, create } = journalSubject();
    const [check = ""] = namesOf(storeChecks);
    expect(await runOneForReal(storeChecks, check, () => storeUnderTest({ name, create }))).toMatchObject({
      status: "skipped",
      message: "other processes cannot open it: the subject lacks a module, openAt",
    });
  });

  it("has those checks failed when its module does not load, with what was said", { timeout: LONG_MS }, async () => {
    const module = new URL("./missing.ts", import.meta.url);
    const [check = ""] = namesOf(storeChecks);
    const result = await runOneForReal(storeChecks, check, () => storeUnderTest({ ...journalSubject(), module }));
    expect(result).toMatchObject({ status: "failed", message: expect.stringContaining("missing.ts") });
    const wrong = { ...journalSubject(), exportName: "nobody" };
    const unopened = await runOneForReal(storeChecks, check, () => storeUnderTest(wrong));
    expect(unopened).toMatchObject({ status: "failed", message: expect.stringContaining("openAt") });
  });
});
