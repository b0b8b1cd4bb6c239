import { temporaryFolder } from "@tinyagents/conformance";
import { manualClock } from "@tinyagents/core";
import { backendOn, type FileBackend } from "../src/backend.js";
import { fileBackend } from "../src/index.js";
import { failingFiles } from "./support/failing-files.js";

/** A folder whose time a check can move, for all suites, also from other processes. */
export const subject = {
  name: "fileBackend (STO-01, STO-03, STO-07, ST-09, SE-04, SE-06, CNF-04)",
  module: import.meta.url,
  create: async () => {
    const { path: folder, remove } = temporaryFolder("file");
    const clock = manualClock();
    const { files, fail } = failingFiles();
    return {
      ref: { folder },
      open: (): FileBackend => backendOn(files, { folder, clock }),
      advance: (ms: number) => clock.advance(ms),
      failWrites: ({ after, count }: { readonly after: number; readonly count: number }) =>
        fail(["open", "write", "link", "rename"], { after, times: count }),
      remove,
    };
  },
  openAt: (ref: unknown): FileBackend => fileBackend({ folder: (ref as { readonly folder: string }).folder }),
};
