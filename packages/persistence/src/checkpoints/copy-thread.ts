import { type CheckpointThread, invalidArgument, type StoreCallOptions } from "@tinyagents/core";
import type { LineageEntry } from "./checkpoint-entry.js";
import { threadTaken } from "./conflicts.js";
import type { LineageLog } from "./lineage-log.js";
import type { Lineages } from "./lineages.js";
import { rootLast } from "./threads.js";

export interface CopyTerms {
  readonly threadId: string;
  readonly toThreadId: string;
  /** The other thread has checkpoints. */
  readonly taken: boolean;
  readonly options: StoreCallOptions;
}

/** Copies the graphs of a thread to another one, which must have none. */
export async function copyThread(
  lineages: Lineages,
  namespaces: readonly string[],
  { threadId, toThreadId, taken, options }: CopyTerms,
): Promise<void> {
  if (namespaces.length === 0) throw invalidArgument("threadId", `thread "${threadId}" has no checkpoints`);
  if (taken) throw threadTaken(toThreadId);
  for (const namespace of rootLast(namespaces)) {
    const to = { threadId: toThreadId, namespace };
    const copied = await lineages.use({ threadId, namespace }, ({ entries }) => copiesFor(entries, to, options));
    await lineages.use(to, ({ entries }) =>
      entries.write((end) => {
        if (end.next > 0) throw threadTaken(toThreadId);
        return copied;
      }, options),
    );
  }
}

/** The entries of a lineage as they are in a log of their own, from 0 on, and without owners. */
async function copiesFor(
  entries: LineageLog,
  { threadId }: CheckpointThread,
  options: StoreCallOptions,
): Promise<readonly LineageEntry[]> {
  const copies: LineageEntry[] = [];
  /** Where the copy of each entry stands, by where the entry stands. */
  const moved = new Map<number, number>();
  const placeOf = (offset: number): number => moved.get(offset) ?? 0;
  for await (const { offset, entry } of entries.from(0, options)) {
    if (entry.type === "claim") continue;
    moved.set(offset, copies.length);
    const places = { headAt: placeOf(entry.headAt), baseAt: placeOf(entry.baseAt), fence: 0 };
    if (entry.type === "checkpoint") copies.push({ ...entry, ...places, row: { ...entry.row, threadId } });
    else copies.push({ ...entry, ...places });
  }
  return copies;
}
