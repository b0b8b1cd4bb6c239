import { appendStoreChecks, appendStoreUnderTest, storeChecks, storeUnderTest } from "@tinyagents/conformance";
import { describe, expect, it } from "vitest";
import type { JournalFault } from "./journal-faults.js";
import { journalSubject } from "./journal-subject.js";
import { runOneForReal } from "./run-one.js";

const RECORD = "has a record as it was or as it was written when a write fails, says store_failed, and goes on";
const BATCH = "does a batch whole or not at all when a write fails";
const APPEND =
  "adds all values of an append or none when a write fails, says store_failed, and adds the rest once when it is repeated";

const ofStore = (name: string, fault?: JournalFault) =>
  runOneForReal(storeChecks, name, () => storeUnderTest(journalSubject(fault)));
const ofLog = (fault?: JournalFault) =>
  runOneForReal(appendStoreChecks, APPEND, () => appendStoreUnderTest(journalSubject(fault)));

describe("a backend whose physical writes fail (CNF-04, ST-07, ST-09)", () => {
  it("passes when it says so and leaves nothing half-written", async () => {
    for (const result of [await ofStore(RECORD), await ofStore(BATCH), await ofLog()])
      expect(result).toMatchObject({ status: "passed" });
  });

  it("is found out when it does not say so, and when it leaves half of a batch or of an append", async () => {
    expect(await ofStore(RECORD, "swallows_failures")).toMatchObject({ status: "failed" });
    expect(await ofStore(BATCH, "halves_batches")).toMatchObject({ status: "failed" });
    expect(await ofLog("halves_keyed_appends")).toMatchObject({ status: "failed" });
  });

  it("is not asked where its writes cannot be made to fail", async () => {
    const subject = journalSubject();
    const create = async () => {
      const { failWrites: _, ...place } = await subject.create();
      return place;
    };
    expect(await runOneForReal(storeChecks, RECORD, () => storeUnderTest({ ...subject, create }))).toMatchObject({
      status: "skipped",
      message: "its writes cannot be made to fail: the place lacks failWrites",
    });
  });
});
