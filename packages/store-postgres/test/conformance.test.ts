import { appendStoreConformance, storeConformance } from "@tinyagents/conformance/vitest";
import { describe, it } from "vitest";
import { missing, newPlace } from "./support/place.js";

/** A backend on a schema of its own, whose time a check can move. */
const subject = {
  name: "postgresBackend (STO-10, STO-01, STO-02, STO-03, ST-03, ST-08, SE-04, SE-06)",
  create: () => {
    const { open, clock, remove } = newPlace();
    return { open: () => open(), advance: (ms: number) => clock.advance(ms), remove };
  },
};

if (missing === undefined) {
  storeConformance(subject);
  appendStoreConformance(subject);
} else {
  describe(subject.name, () => {
    it("keeps the contracts", ({ skip }) => skip(missing));
  });
}
