import type { AppendStore, CheckpointThread } from "@tinyagents/core";
import { streamName } from "../stream-name.js";
import type { TaskEntry } from "./checkpoint-entry.js";
import { headMoved, ownedByNewer, writtenOtherwise } from "./conflicts.js";
import { joined, type LineageEnd, newOf } from "./lineage.js";
import { LineageLog } from "./lineage-log.js";
import { TaskGroup, type WantedTask } from "./task-group.js";

/** One lineage, and what many tasks at once want to have kept in it. */
export interface Lineage {
  readonly entries: LineageLog;
  readonly tasks: TaskGroup;
}

/** How many lineages are known at once. The end of one that was forgotten is read again. */
const MOST_KNOWN = 1_000;

/** The lineages that were used last. */
export class Lineages {
  readonly #log: AppendStore;
  readonly #prefix: string;
  readonly #known = new Map<string, Lineage>();

  constructor(log: AppendStore, prefix: string) {
    this.#log = log;
    this.#prefix = prefix;
  }

  /** Does something with a lineage. Calls on one share what is known of it. */
  use<T>({ threadId, namespace }: CheckpointThread, work: (lineage: Lineage) => Promise<T>): Promise<T> {
    const stream = streamName(this.#prefix, threadId, namespace);
    const lineage = this.#known.get(stream) ?? this.#open(stream, { threadId, namespace });
    // Moved to the end: those used the longest time ago come first.
    this.#known.delete(stream);
    this.#known.set(stream, lineage);
    const done = work(lineage);
    if (this.#known.size > MOST_KNOWN) this.#forgetOldest();
    return done;
  }

  #open(stream: string, thread: CheckpointThread): Lineage {
    const entries = new LineageLog(this.#log, stream, thread);
    return { entries, tasks: new TaskGroup((wanted) => keep(entries, thread, wanted)) };
  }

  #forgetOldest(): void {
    for (const [stream, { entries, tasks }] of this.#known) {
      if (!entries.idle || !tasks.idle) continue;
      this.#known.delete(stream);
      return;
    }
  }
}

/** Keeps what several tasks left, in one write. Each is told by itself what came of it. */
async function keep(entries: LineageLog, thread: CheckpointThread, wanted: readonly WantedTask[]): Promise<void> {
  let taken: readonly WantedTask[] = [];
  await entries.write((end) => {
    taken = wanted.filter((one) => !refuse(one, thread, end));
    return entriesFor(taken, thread, end);
  }, {});
  for (const one of taken) one.resolve();
}

/** Whether what a task left cannot be kept; then whoever wants it kept is told. */
function refuse(
  { checkpointId, fence, reject }: WantedTask,
  thread: CheckpointThread,
  end: Readonly<LineageEnd>,
): boolean {
  const headId = end.head?.row.checkpointId ?? null;
  if (fence < end.fence) reject(ownedByNewer(thread, fence, end.fence));
  else if (headId !== checkpointId) reject(headMoved(thread, checkpointId, headId));
  else return false;
  return true;
}

function entriesFor(
  taken: readonly WantedTask[],
  thread: CheckpointThread,
  { head, fence, tasks }: Readonly<LineageEnd>,
): readonly TaskEntry[] {
  if (head === undefined) return [];
  const { headAt, baseAt } = head;
  const ahead = new Map(tasks);
  return taken.flatMap(({ task, reject }): readonly TaskEntry[] => {
    const added = newOf(ahead.get(task.taskId), task);
    if (added === "other") reject(writtenOtherwise(thread, task.taskId));
    if (added === undefined || added === "other") return [];
    ahead.set(task.taskId, joined(ahead.get(task.taskId), added));
    return [{ v: 1, type: "task", headAt, baseAt, fence, task: added }];
  });
}
