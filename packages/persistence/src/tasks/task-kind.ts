import { readTask, type StoreKey, type TaskRecord } from "@tinyagents/core";
import { type OrderParts, type RecordKind, timeName } from "../indexed/record-kind.js";

/** Tasks as records: found by when they were created, among those of a state, a kind, a thread, a tree; and by their end. */
export function taskKind(prefix: StoreKey): RecordKind<TaskRecord> {
  const created = ({ createdAtMs }: TaskRecord): string => timeName(createdAtMs);
  const under = (name: string | undefined, task: TaskRecord): OrderParts | undefined =>
    name === undefined ? undefined : [name, created(task)];
  return {
    name: "task",
    prefix,
    read: readTask,
    orders: {
      time: (task) => [created(task)],
      state: (task) => [task.state, created(task)],
      kind: (task) => [task.kind, task.state, created(task)],
      thread: (task) => under(task.threadId, task),
      root: (task) => under(task.rootRunId, task),
      ended: ({ endedAtMs }) => (endedAtMs === undefined ? undefined : [timeName(endedAtMs)]),
    },
  };
}
