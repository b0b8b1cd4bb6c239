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
  const last = (await entries.last(options))?.entry;
  if (last === undefined || last.headAt === null || last.baseAt === null) return undefined;
  const wanted = checkpointId === undefined ? last : await entries.find(checkpointId, options);
  if (wanted?.baseAt == null) return undefined;
  const read: CheckpointEntry[] = [];
  const tasks = new Map<string, TaskWrites>();
  let target: CheckpointEntry | undefined;
  let headId = "";
  for await (const { entry } of entries.from(wanted.baseAt, options)) {
    if (entry.type === "checkpoint") {
      headId = entry.row.checkpointId;
      if (target === undefined || checkpointId === undefined) {
        read.push(entry);
        tasks.clear();
      }
      if (checkpointId === undefined || headId === checkpointId) target = entry;
    } else if (entry.type === "task" && target?.headAt === entry.headAt) {
      tasks.set(entry.task.taskId, joined(tasks.get(entry.task.taskId), entry.task));
    }
  }
  if (target === undefined) return undefined;
  return { rows: wayTo(read, target, thread).map(({ row }) => row), tasks: [...tasks.values()], headId };
}

/** Checkpoints that were stored before one (absent: all), the newest first. */
export async function listBefore(
  entries: LineageLog,
  before: string | undefined,
  limit: number,
  options: StoreCallOptions,
): Promise<readonly CheckpointMeta[]> {
  const listed: CheckpointMeta[] = [];
  const from = before === undefined ? undefined : await entries.find(before, options);
  if (before !== undefined && from === undefined) return [];
  for await (const { row } of entries.checkpointsBack(from?.headAt, options)) {
    const { changes: _, ...meta } = row;
    listed.push(meta);
    if (listed.length === limit) break;
  }
  return listed;
}
