import { checkpointStoreConformance } from "@tinyagents/conformance/vitest";
import { describe, it } from "vitest";
import { backends } from "./backends.js";
import * as subjects from "./checkpoint-subjects.js";

const IDS = "CKP-01, CKP-02, CNF-06, DG-11, DG-13, ST-04, SE-04, SE-06";

for (const { name, skip } of backends.filter(({ durable }) => durable)) {
  const subject = subjects[name as keyof typeof subjects];
  const title = `${subject.name} (${IDS})`;
  if (skip === undefined) checkpointStoreConformance({ ...subject, name: title });
  else describe(title, () => it("keeps the contract", ({ skip: skipTest }) => skipTest(skip)));
}
