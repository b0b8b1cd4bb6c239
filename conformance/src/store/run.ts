import type { Report } from "../check.js";
import { type RunOptions, runChecks } from "../run-checks.js";
import { storeChecks } from "./checks.js";
import { type StoreSubject, storeUnderTest } from "./subject.js";

/** Runs all store checks on a backend. */
export function checkStore(subject: StoreSubject, options: Omit<RunOptions, "name"> = {}): Promise<Report> {
  return runChecks(storeChecks, () => storeUnderTest(subject), { ...options, name: subject.name });
}
