import { invalidArgument } from "../refuse.js";
import type { TaskMessage, TaskRecord } from "./task.js";

/** Messages that a task holds before it acknowledges some. */
const MOST_WAITING = 1_000;
/** Ids that are remembered after they were acknowledged. */
const MOST_REMEMBERED = 100;

/** The task with one more message; the same when it has or had it. @throws `invalid_request` when it holds too many. */
export function addMessage(task: TaskRecord, message: TaskMessage): TaskRecord {
  const { messages, acknowledged } = task;
  if (acknowledged.includes(message.id) || messages.some(({ id }) => id === message.id)) return task;
  if (messages.length < MOST_WAITING) return { ...task, messages: [...messages, message] };
  throw invalidArgument(
    "action",
    `task ${JSON.stringify(task.taskId)} has ${messages.length} messages that nobody has taken in; wait until it takes some`,
  );
}

/** The task without the messages that were taken in; the same when there are none of them. */
export function withoutMessages(task: TaskRecord, ids: readonly string[]): TaskRecord {
  const taken = task.messages.filter(({ id }) => ids.includes(id)).map(({ id }) => id);
  if (taken.length === 0) return task;
  return {
    ...task,
    messages: task.messages.filter(({ id }) => !taken.includes(id)),
    acknowledged: [...task.acknowledged, ...taken].slice(-MOST_REMEMBERED),
  };
}
