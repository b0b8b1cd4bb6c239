import type { Report } from "../check.js";
import { type RunOptions, runChecks } from "../run-checks.js";
import { appendStoreChecks } from "./checks.js";
import { type AppendStoreSubject, appendStoreUnderTest } from "./subject.js";

/** Runs all log checks on a backend. */
export function checkAppendStore(subject: AppendStoreSubject, options: Omit<RunOptions, "name"> = {}): Promise<Report> {
  return runChecks(appendStoreChecks, () => appendStoreUnderTest(subject), { ...options, name: subject.name });
}
