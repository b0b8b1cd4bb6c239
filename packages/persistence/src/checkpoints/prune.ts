import type { StoreCallOptions } from "@tinyagents/core";
import { placesOf } from "./lineage.js";
import type { LineageLog } from "./lineage-log.js";

/**
 * Drops checkpoints that none of the newest needs. Gives how many. An entry says first that they are gone, so that nobody
 * begins a branch on what is about to go; one that was stopped after that is completed by the next.
 */
export async function prune(entries: LineageLog, keep: number, options: StoreCallOptions): Promise<number> {
  let dropped = 0;
  await entries.writeAndTruncate(async (end) => {
    dropped = 0;
    if (end.head === undefined || end.copying) return [];
    let needed = end.head.baseAt;
    let seen = 0;
    for await (const { baseAt } of entries.checkpointsBack(options)) {
      if (seen++ < keep) needed = Math.min(needed, baseAt);
      else if (baseAt < needed) dropped++;
    }
    return needed > end.startAt && dropped > 0 ? [{ ...placesOf(end), type: "prune", startAt: needed }] : [];
  }, options);
  return dropped;
}
