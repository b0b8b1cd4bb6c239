import { expect, it } from "vitest";
import * as exported from "./index.js";

it("exports only what is meant to be used", () => {
  expect(Object.keys(exported).sort()).toEqual([
    "CheckFailure",
    "agentStreamChecks",
    "agentStreamUnderTest",
    "appendStoreChecks",
    "appendStoreUnderTest",
    "assert",
    "assertEqual",
    "assertFails",
    "assertIncludes",
    "chatModelChecks",
    "checkAgentStream",
    "checkAppendStore",
    "checkChatModel",
    "checkEmbeddingModel",
    "checkStore",
    "embeddingModelChecks",
    "embeddingModelUnderTest",
    "embeddingScenarios",
    "foreignHistories",
    "formatReport",
    "meeting",
    "modelUnderTest",
    "runCheck",
    "runChecks",
    "scenarioDimensions",
    "scenarioMetadata",
    "scenarioVector",
    "scenarioVectors",
    "scenarios",
    "secretKey",
    "storeChecks",
    "storeUnderTest",
  ]);
});
