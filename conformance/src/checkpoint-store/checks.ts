import type { Check, Report } from "../check.js";
import { type RunOptions, runChecks } from "../run-checks.js";
import { processChecks } from "./process-checks.js";
import { raceChecks } from "./race-checks.js";
import { rowChecks } from "./row-checks.js";
import { type CheckpointStoreSubject, type CheckpointStoreUnderTest, checkpointStoreUnderTest } from "./subject.js";
import { taskChecks } from "./task-checks.js";
import { threadChecks } from "./thread-checks.js";

/** What every `CheckpointStore` promises. */
export const checkpointStoreChecks: readonly Check<CheckpointStoreUnderTest>[] = [
  ...rowChecks,
  ...taskChecks,
  ...raceChecks,
  ...threadChecks,
  ...processChecks,
];

/** Runs all checks of checkpoint stores on a backend. */
export function checkCheckpointStore(
  subject: CheckpointStoreSubject,
  options: Omit<RunOptions, "name"> = {},
): Promise<Report> {
  return runChecks(checkpointStoreChecks, () => checkpointStoreUnderTest(subject), { ...options, name: subject.name });
}
