import { checkpointStoreConformance } from "@tinyagents/conformance/vitest";
import { describe, it } from "vitest";
import { backends } from "./backends.js";
import { jsonl, mongodb, postgres, sqlite } from "./subjects.js";

const SUBJECTS = new Map(Object.entries({ jsonl, mongodb, postgres, sqlite }));
const IDS = "CKP-01, CKP-02, CNF-06, DG-11, DG-13, ST-04, SE-04, SE-06";

for (const { name, skip } of backends.filter(({ durable }) => durable)) {
  const subject = SUBJECTS.get(name);
  if (subject === undefined) throw new Error(`no checkpoint store is checked on ${name}`);
  const title = `checkpointStore on ${name} (${IDS})`;
  if (skip === undefined) checkpointStoreConformance({ ...subject, name: title });
  else describe(title, () => it("keeps the contract", ({ skip: skipTest }) => skipTest(skip)));
}
