import type { CheckpointThread, TaskWrites } from "@tinyagents/core";
import type { TaskEntry } from "./checkpoint-entry.js";
import { beingCopied, headMoved, ownedByNewer, writtenOtherwise } from "./conflicts.js";
import { joined, type LineageEnd, newOf, taskEntry } from "./lineage.js";
import type { LineageLog } from "./lineage-log.js";
import type { WantedTask } from "./task-group.js";

/** What several tasks left, as entries, and what those are told whose writes cannot be kept. */
interface Plan {
  readonly added: readonly TaskEntry[];
  readonly refused: ReadonlyMap<WantedTask, Error>;
}

/** Keeps what several tasks left, in one write. Each is told by itself what came of it. */
export async function keepTasks(
  entries: LineageLog,
  thread: CheckpointThread,
  wanted: readonly WantedTask[],
  signal: AbortSignal | undefined,
): Promise<void> {
  let refused: Plan["refused"] = new Map();
  await entries.write(
    (end, fresh) => {
      const plan = planFor(wanted, thread, end);
      const [refusal] = plan.refused.values();
      if (refusal !== undefined && !fresh) throw refusal;
      refused = plan.refused;
      return plan.added;
    },
    { signal },
  );
  for (const one of wanted) {
    const refusal = refused.get(one);
    if (refusal === undefined) one.resolve();
    else one.reject(refusal);
  }
}

function planFor(wanted: readonly WantedTask[], thread: CheckpointThread, end: Readonly<LineageEnd>): Plan {
  const refused = new Map<WantedTask, Error>();
  const added: TaskEntry[] = [];
  /** What those before in the group have left. */
  const ahead = new Map<string, TaskWrites>();
  for (const one of wanted) {
    const { taskId } = one.task;
    const before = ahead.get(taskId) ?? end.tasks.get(taskId);
    const news = newOf(before, one.task);
    const refusal = refusalOf(one, thread, end) ?? (news === "other" ? writtenOtherwise(thread, taskId) : undefined);
    if (refusal !== undefined) refused.set(one, refusal);
    if (refusal !== undefined || end.head === undefined || news === undefined || news === "other") continue;
    ahead.set(taskId, joined(before, news));
    added.push(taskEntry(end, end.head, news));
  }
  return { added, refused };
}

/** Why nothing can be kept on these terms, whatever it is. */
function refusalOf(
  { checkpointId, fence }: WantedTask,
  thread: CheckpointThread,
  end: Readonly<LineageEnd>,
): Error | undefined {
  const headId = end.head?.checkpointId ?? null;
  if (end.copying) return beingCopied(thread);
  if (fence < end.fence) return ownedByNewer(thread, fence, end.fence);
  if (headId !== checkpointId) return headMoved(thread, checkpointId, headId);
  return undefined;
}
