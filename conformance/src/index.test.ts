import { expect, it } from "vitest";
import * as exported from "./index.js";

it("exports only what is meant to be used", () => {
  expect(Object.keys(exported).sort()).toEqual([
    "CheckFailure",
    "assert",
    "assertEqual",
    "assertFails",
    "assertIncludes",
    "chatModelChecks",
    "checkChatModel",
    "foreignHistories",
    "formatReport",
    "meeting",
    "modelUnderTest",
    "runCheck",
    "runChecks",
    "scenarioMetadata",
    "scenarios",
    "secretKey",
  ]);
});
