import type { OpenTasks, TaskStoreSubject } from "@tinyagents/conformance";
import { taskStoreConformance } from "@tinyagents/conformance/vitest";
import { manualClock } from "@tinyagents/core";
import { taskStore } from "@tinyagents/persistence";
import { memoryBackend } from "@tinyagents/store-memory";
import { describe, it } from "vitest";
import { backends } from "./backends.js";
import { jsonl, mongodb, postgres, sqlite } from "./subjects.js";

const memory: TaskStoreSubject = {
  name: "memory",
  create() {
    const clock = manualClock();
    const { store, close } = memoryBackend();
    const opened: OpenTasks = { tasks: taskStore(store, { clock }), capabilities: store.capabilities, close };
    return { open: () => opened, advance: (ms) => clock.advance(ms) };
  },
};
const SUBJECTS: ReadonlyMap<string, TaskStoreSubject> = new Map(
  Object.entries({ memory, jsonl, mongodb, postgres, sqlite }),
);
const IDS = "CNF-06, SUB-06, SUB-07, PF-03, SE-04, SE-06, ST-03, DG-11";

for (const { name, skip } of backends) {
  const subject = SUBJECTS.get(name);
  if (subject === undefined) throw new Error(`no task store is checked on ${name}`);
  const title = `taskStore on ${name} (${IDS})`;
  if (skip === undefined) taskStoreConformance({ ...subject, name: title });
  else describe(title, () => it("keeps the contract", ({ skip: skipTest }) => skipTest(skip)));
}
