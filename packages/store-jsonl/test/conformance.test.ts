import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { appendStoreConformance, storeConformance } from "@tinyagents/conformance/vitest";
import { manualClock } from "@tinyagents/core";
import { jsonlBackend } from "../src/index.js";

/** A folder whose time a check can move, for both suites. */
const subject = {
  name: "jsonlBackend (STO-01, STO-02, STO-03, STO-06, CNF-04)",
  create: async () => {
    const folder = await mkdtemp(join(tmpdir(), "tinyagents-jsonl-"));
    const clock = manualClock();
    return {
      open: () => jsonlBackend({ folder, clock }),
      advance: (ms: number) => clock.advance(ms),
      remove: () => rm(folder, { recursive: true, force: true }),
    };
  },
};

storeConformance(subject);
appendStoreConformance(subject);
