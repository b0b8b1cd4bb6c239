import { appendStoreConformance, storeConformance } from "@tinyagents/conformance/vitest";
import { afterAll, describe, it } from "vitest";
import { serverOfTests, subject } from "./subject.js";

/** A server that is not MongoDB looks through all documents for most of what is asked. */
const options = { timeoutMs: 60_000 };

const server = await serverOfTests();

if (server.available) {
  storeConformance(subject, options);
  appendStoreConformance(subject, options);
  afterAll(() => server.stop());
} else {
  describe(subject.name, () => {
    it("keeps the contracts of a store and of a log", ({ skip }) => skip(server.reason));
  });
}
