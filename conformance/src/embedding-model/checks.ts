import type { Check, Report } from "../check.js";
import { type RunOptions, runChecks } from "../run-checks.js";
import { failureChecks } from "./failure-checks.js";
import { type EmbeddingModelSubject, type EmbeddingModelUnderTest, embeddingModelUnderTest } from "./subject.js";
import { vectorChecks } from "./vector-checks.js";

/** What every `EmbeddingModel` promises. */
export const embeddingModelChecks: readonly Check<EmbeddingModelUnderTest>[] = [...vectorChecks, ...failureChecks];

/** Runs all embedding checks on an adapter. */
export function checkEmbeddingModel(
  subject: EmbeddingModelSubject,
  options: Omit<RunOptions, "name"> = {},
): Promise<Report> {
  return runChecks(embeddingModelChecks, () => embeddingModelUnderTest(subject), { ...options, name: subject.name });
}
