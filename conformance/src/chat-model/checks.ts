import type { Check } from "../check.js";
import { cancelChecks } from "./cancel-checks.js";
import { contentChecks } from "./content-checks.js";
import { errorChecks } from "./error-checks.js";
import { historyChecks } from "./history-checks.js";
import { leftoverChecks } from "./leftover-checks.js";
import { outcomeChecks } from "./outcome-checks.js";
import { settingsChecks } from "./settings-checks.js";
import { streamChecks } from "./stream-checks.js";
import type { ModelUnderTest } from "./subject.js";
import { toolChecks } from "./tool-checks.js";
import { wireChecks } from "./wire-checks.js";

/** What every `ChatModel` promises. */
export const chatModelChecks: readonly Check<ModelUnderTest>[] = [
  ...contentChecks,
  ...historyChecks,
  ...toolChecks,
  ...settingsChecks,
  ...outcomeChecks,
  ...streamChecks,
  ...wireChecks,
  ...cancelChecks,
  ...leftoverChecks,
  ...errorChecks,
];
