import type { AppendStore } from "@tinyagents/core";
import { failAt } from "@tinyagents/testkit";

/**
 * The log as a process sees it that dies at its `n`-th write, before or after that write is done: none of the later
 * ones is.
 */
export function dyingAt(log: AppendStore, n: number, when: "before" | "after"): AppendStore {
  if (when === "before") return failAt(log, n, { stayDown: true }).subject;
  return failAt(failAt(log, n + 1, { stayDown: true }).subject, n, { when }).subject;
}
