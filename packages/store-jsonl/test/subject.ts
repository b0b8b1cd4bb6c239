import { temporaryFolder } from "@tinyagents/conformance";
import { manualClock } from "@tinyagents/core";
import { backendOn, type JsonlBackend } from "../src/backend.js";
import { jsonlBackend } from "../src/index.js";
import { failingFiles } from "./support/failing-files.js";

/** A folder whose time a check can move, for all suites, also from other processes. */
export const subject = {
  name: "jsonlBackend (STO-01, STO-02, STO-03, STO-06, CNF-04)",
  module: import.meta.url,
  create: async () => {
    const { path: folder, remove } = temporaryFolder("jsonl");
    const clock = manualClock();
    const { files, fail } = failingFiles();
    return {
      ref: { folder },
      open: (): JsonlBackend => backendOn(files, { folder, clock }),
      advance: (ms: number) => clock.advance(ms),
      failWrites: ({ after, count }: { readonly after: number; readonly count: number }) =>
        fail("write", { after, times: count, partBytes: 20 }),
      remove,
    };
  },
  openAt: (ref: unknown): JsonlBackend => jsonlBackend({ folder: (ref as { readonly folder: string }).folder }),
};
