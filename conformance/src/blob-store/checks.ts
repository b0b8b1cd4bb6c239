import type { Check, Report } from "../check.js";
import { type RunOptions, runChecks } from "../run-checks.js";
import { readChecks } from "./read-checks.js";
import { type BlobStoreSubject, type BlobStoreUnderTest, blobStoreUnderTest } from "./subject.js";
import { writeChecks } from "./write-checks.js";

/** What every `BlobStore` promises beyond what every `Store` does. */
export const blobStoreChecks: readonly Check<BlobStoreUnderTest>[] = [...writeChecks, ...readChecks];

/** Runs all checks of blobs on a backend. */
export function checkBlobStore(subject: BlobStoreSubject, options: Omit<RunOptions, "name"> = {}): Promise<Report> {
  return runChecks(blobStoreChecks, () => blobStoreUnderTest(subject), { ...options, name: subject.name });
}
