import type { Page, TaskRecord, TaskSpec } from "@tinyagents/core";
import { type PlaceTopic, placeTopic } from "../store/place-topic.js";
import type { TaskNeed, TaskSituation } from "./subject.js";

/** Makes the checks of one topic. */
export const topic: (group: string) => PlaceTopic<TaskSituation, TaskNeed> = placeTopic;

/** Longer than any check takes, ms. */
export const LONG_MS = 3_600_000;
/** The least time after which tasks that are created one after the other have another time, ms. */
const APART_MS = 2;

export function idsOf({ items }: Page<TaskRecord>): readonly string[] {
  return items.map(({ taskId }) => taskId);
}

/** Creates tasks one after the other, each a little later than the one before. */
export async function createAll({ tasks, pass }: TaskSituation, specs: readonly Partial<TaskSpec>[]): Promise<void> {
  for (const spec of specs) {
    await tasks.create({ kind: "k", input: null, ...spec });
    await pass(APART_MS);
  }
}

/** A task without its times, which are the store's own. */
export function timeless(task: TaskRecord): unknown {
  const times = ["atMs", "createdAtMs", "updatedAtMs", "endedAtMs", "untilMs"];
  return JSON.parse(JSON.stringify(task, (key, value: unknown) => (times.includes(key) ? undefined : value)));
}
