import { expect, test } from "vitest";
import * as persistence from "../src/index.js";

test("the package exports these names at run time, and no others", () => {
  expect(Object.keys(persistence).sort()).toEqual([
    "artifactIndex",
    "callRecords",
    "checkpointStore",
    "currentEntries",
    "encryptedLog",
    "encryptedStore",
    "eventJournal",
    "foldRunStatus",
    "journaledRecorder",
    "keepLastTurns",
    "keepSummary",
    "recordedStatus",
    "responseCache",
    "runRecorder",
    "runStatusSink",
    "runStatusStore",
    "shortTermMemory",
    "taskStore",
    "tenantBackend",
    "tenantLog",
    "tenantStore",
  ]);
});
