import type { CheckpointChain, CheckpointMeta, CheckpointThread, StoreCallOptions, TaskWrites } from "@tinyagents/core";
import type { CheckpointEntry } from "./checkpoint-entry.js";
import { joined, wayTo } from "./lineage.js";
import type { LineageLog } from "./lineage-log.js";

/** What restores a checkpoint, by default the head; nothing where there is no such one. */
export async function loadChain(
  entries: LineageLog,
  thread: CheckpointThread,
  checkpointId: string | undefined,
  options: StoreCallOptions,
): Promise<CheckpointChain | undefined> {
  for (let before: number | undefined; ; ) {
    const last = await entries.last(options);
    if (last === undefined || last.entry.headAt === null || last.entry.copying) return undefined;
    const { headAt, baseAt } = last.entry;
    const wanted = checkpointId === undefined ? undefined : (await entries.find(checkpointId, options))?.entry;
    if (checkpointId !== undefined && wanted === undefined) return undefined;
    const read = await readBranch(entries, wanted ?? { baseAt: baseAt as number, to: last.offset }, options);
    const head = wanted === undefined ? read?.target : await entries.checkpointAt(headAt, options);
    if (read !== undefined && head !== undefined) {
      const rows = wayTo(read.between, read.target, thread).map(({ row }) => row);
      return { rows, tasks: [...read.tasks.values()], headId: head.row.checkpointId };
    }
    // Somebody deleted or pruned it meanwhile; where the same stands there still, it is damaged.
    if (before === last.offset)
      throw entries.damaged(wanted?.headAt ?? last.offset, "baseAt", "not all is there that it takes from there on");
    before = last.offset;
  }
}

/** What was read from a base on. */
interface Branch {
  readonly target: CheckpointEntry;
  /** The checkpoints up to the target: those of its branch, and of others. */
  readonly between: readonly CheckpointEntry[];
  readonly tasks: ReadonlyMap<string, TaskWrites>;
}

/**
 * Reads from a base up to a checkpoint and what tasks left after it, or, without one, up to the newest, at least to an offset.
 * Nothing when something of that is not there.
 */
async function readBranch(
  entries: LineageLog,
  { baseAt, headAt, to }: { readonly baseAt: number; readonly headAt?: number; readonly to?: number },
  options: StoreCallOptions,
): Promise<Branch | undefined> {
  const between: CheckpointEntry[] = [];
  const tasks = new Map<string, TaskWrites>();
  let target: CheckpointEntry | undefined;
  let seen = -1;
  for await (const { offset, entry } of entries.from(baseAt, options)) {
    if (seen < 0 && offset !== baseAt) return undefined;
    seen = offset;
    if (entry.type === "checkpoint") {
      if (headAt !== undefined && offset > headAt) break;
      between.push(entry);
      target = entry;
      tasks.clear();
    } else if (entry.type === "task" && target?.headAt === entry.headAt) {
      tasks.set(entry.task.taskId, joined(tasks.get(entry.task.taskId), entry.task));
    }
  }
  const isWhole = headAt === undefined ? seen >= (to ?? 0) : target?.headAt === headAt;
  return isWhole && target !== undefined ? { target, between, tasks } : undefined;
}

/** Checkpoints that were stored before one (absent: all), the newest first. */
export async function listBefore(
  entries: LineageLog,
  before: string | undefined,
  limit: number,
  options: StoreCallOptions,
): Promise<readonly CheckpointMeta[]> {
  const listed: CheckpointMeta[] = [];
  const found = before === undefined ? undefined : await entries.find(before, options);
  if (before !== undefined && found === undefined) return listed;
  for await (const { row } of entries.checkpointsBack(options, found)) {
    const { changes: _, ...meta } = row;
    listed.push(meta);
    if (listed.length === limit) break;
  }
  return listed;
}
