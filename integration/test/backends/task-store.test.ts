import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OpenTasks, TaskStoreSubject } from "@tinyagents/conformance";
import { taskStoreConformance } from "@tinyagents/conformance/vitest";
import { type Clock, manualClock, type Store } from "@tinyagents/core";
import { taskStore } from "@tinyagents/persistence";
import { jsonlBackend } from "@tinyagents/store-jsonl";
import { memoryBackend } from "@tinyagents/store-memory";
import { sqliteBackend } from "@tinyagents/store-sqlite";

interface OpenStore {
  readonly store: Store;
  close(): Promise<void>;
}

/** Our task store on backends that are opened in a folder. */
function subjectOf(name: string, opener: (folder: string) => () => OpenStore): TaskStoreSubject {
  return {
    name: `taskStore on ${name} (CNF-06, SUB-06, SUB-07, PF-03, SE-04, SE-06, ST-03)`,
    async create() {
      const folder = await mkdtemp(join(tmpdir(), "tinyagents-tasks-"));
      const clock = manualClock();
      const open = opener(folder);
      return {
        open: () => tasksOn(open(), clock),
        advance: (ms) => clock.advance(ms),
        remove: () => rm(folder, { recursive: true, force: true }),
      };
    },
  };
}

function tasksOn({ store, close }: OpenStore, clock: Clock): OpenTasks {
  return { tasks: taskStore(store, { clock }), capabilities: store.capabilities, close };
}

taskStoreConformance(subjectOf("memory", () => () => memoryBackend()));
taskStoreConformance(
  subjectOf("sqlite", (folder) => () => sqliteBackend({ path: join(folder, "a.db"), synchronous: "normal" })),
);
taskStoreConformance(subjectOf("jsonl", (folder) => () => jsonlBackend({ folder, sync: "os" })));
