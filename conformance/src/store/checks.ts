import type { Check } from "../check.js";
import { attributeChecks } from "./attribute-checks.js";
import { batchChecks } from "./batch-checks.js";
import { cancelChecks } from "./cancel-checks.js";
import { failureChecks } from "./failure-checks.js";
import { keyChecks } from "./key-checks.js";
import { listChecks } from "./list-checks.js";
import { modelChecks } from "./model-checks.js";
import { placeChecks } from "./place-checks.js";
import { processChecks } from "./process-checks.js";
import type { StoreUnderTest } from "./subject.js";
import { timeChecks } from "./time-checks.js";
import { valueChecks } from "./value-checks.js";
import { versionChecks } from "./version-checks.js";

/** What every `Store` promises. */
export const storeChecks: readonly Check<StoreUnderTest>[] = [
  ...valueChecks,
  ...keyChecks,
  ...attributeChecks,
  ...versionChecks,
  ...timeChecks,
  ...batchChecks,
  ...listChecks,
  ...placeChecks,
  ...processChecks,
  ...failureChecks,
  ...cancelChecks,
  ...modelChecks,
];
