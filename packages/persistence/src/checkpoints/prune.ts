import type { StoreCallOptions } from "@tinyagents/core";
import type { LineageLog } from "./lineage-log.js";

/** Drops checkpoints that none of the newest needs. Gives how many. */
export async function prune(entries: LineageLog, keep: number, options: StoreCallOptions): Promise<number> {
  let needed = Number.POSITIVE_INFINITY;
  let seen = 0;
  let dropped = 0;
  for await (const { baseAt } of entries.checkpointsBack(undefined, options)) {
    if (seen++ < keep) needed = Math.min(needed, baseAt);
    else if (baseAt < needed) dropped++;
  }
  if (dropped > 0) await entries.truncate(needed, options);
  return dropped;
}
