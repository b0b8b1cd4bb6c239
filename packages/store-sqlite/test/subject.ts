import { manualClock } from "@tinyagents/core";
import { type SqliteBackend, sqliteBackend } from "../src/index.js";
import { databaseFolder } from "./places.js";

/** Files of their own, whose time a check can move, also from other processes. */
export const subject = {
  name: "sqliteBackend, a file (STO-09, CNF-04)",
  module: import.meta.url,
  create: () => {
    const clock = manualClock();
    const { path, remove } = databaseFolder();
    return {
      ref: { path: path("a.db") },
      open: (): SqliteBackend => sqliteBackend({ path: path("a.db"), synchronous: "normal", clock }),
      advance: (ms: number) => clock.advance(ms),
      remove,
    };
  },
  openAt: (ref: unknown): SqliteBackend =>
    sqliteBackend({ path: (ref as { readonly path: string }).path, synchronous: "normal" }),
};
