import type { Check, Report } from "../check.js";
import { type RunOptions, runChecks } from "../run-checks.js";
import { listChecks } from "./list-checks.js";
import { placeChecks } from "./place-checks.js";
import { processChecks } from "./process-checks.js";
import { recordChecks } from "./record-checks.js";
import { type TaskStoreSubject, type TaskStoreUnderTest, taskStoreUnderTest } from "./subject.js";

/** What every `TaskStore` promises. */
export const taskStoreChecks: readonly Check<TaskStoreUnderTest>[] = [
  ...recordChecks,
  ...listChecks,
  ...placeChecks,
  ...processChecks,
];

/** Runs all checks of task stores on a backend. */
export function checkTaskStore(subject: TaskStoreSubject, options: Omit<RunOptions, "name"> = {}): Promise<Report> {
  return runChecks(taskStoreChecks, () => taskStoreUnderTest(subject), { ...options, name: subject.name });
}
