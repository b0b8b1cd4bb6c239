import { appendStoreConformance, storeConformance } from "@tinyagents/conformance/vitest";
import { manualClock } from "@tinyagents/core";
import { describe, it } from "vitest";
import { mongodbBackend } from "../src/index.js";
import { missing, newPlace } from "./place.js";

/** Chunks are small, so that checks with large values have many. */
const subject = {
  name: "mongodbBackend (STO-03, STO-08, CNF-04, SE-04, SE-06, ST-03, ST-08)",
  create: () => {
    const clock = manualClock();
    const place = newPlace({ clock, chunkBytes: 16 * 1024 });
    return { open: () => mongodbBackend(place), advance: (ms: number) => clock.advance(ms) };
  },
};

/** A server that is not MongoDB looks through all documents for most of what is asked. */
const options = { timeoutMs: 60_000 };

if (missing === undefined) {
  storeConformance(subject, options);
  appendStoreConformance(subject, options);
} else {
  describe(subject.name, () => {
    it("keeps the contracts of a store and of a log", ({ skip }) => skip(missing));
  });
}
