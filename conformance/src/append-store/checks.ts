import type { Check } from "../check.js";
import { appendChecks } from "./append-checks.js";
import { failureChecks } from "./failure-checks.js";
import { followChecks } from "./follow-checks.js";
import { modelChecks } from "./model-checks.js";
import { placeChecks } from "./place-checks.js";
import { processChecks } from "./process-checks.js";
import { raceChecks } from "./race-checks.js";
import { readChecks } from "./read-checks.js";
import type { AppendStoreUnderTest } from "./subject.js";

/** What every `AppendStore` promises. */
export const appendStoreChecks: readonly Check<AppendStoreUnderTest>[] = [
  ...appendChecks,
  ...readChecks,
  ...raceChecks,
  ...placeChecks,
  ...followChecks,
  ...processChecks,
  ...failureChecks,
  ...modelChecks,
];
