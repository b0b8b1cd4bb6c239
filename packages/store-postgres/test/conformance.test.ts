import { appendStoreConformance, storeConformance } from "@tinyagents/conformance/vitest";
import { describe, it } from "vitest";
import { subject } from "./subject.js";
import { missing } from "./support/place.js";

if (missing === undefined) {
  storeConformance(subject);
  appendStoreConformance(subject);
} else {
  describe(subject.name, () => {
    it("keeps the contracts", ({ skip }) => skip(missing));
  });
}
