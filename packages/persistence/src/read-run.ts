import type { AppendStore } from "@tinyagents/core";
import { readRunEntry } from "./run-entry.js";
import { RunFold } from "./run-fold.js";

/** Where a run is recorded, and by whom. */
export interface RunPlace {
  readonly log: AppendStore;
  readonly stream: string;
  readonly runId: string;
  /** Told apart from all other writers. */
  readonly writer: string;
}

/** What the log of a run holds. */
export interface ReadRun {
  readonly fold: RunFold;
  /** The offset of the next entry. */
  readonly head: number;
  /** The offset of the last entry that another writer has made. -1 when there is none. */
  readonly lastByOther: number;
}

/** Reads the log of a run from its start to its end. @throws `corrupt_data`, `version_mismatch` */
export async function readRun({ log, stream, runId, writer }: RunPlace): Promise<ReadRun> {
  const fold = new RunFold(runId);
  let head = 0;
  let lastByOther = -1;
  for (let more = true; more; ) {
    const records = await log.read(stream, { from: head });
    for (const { offset, value } of records) {
      const place = `${stream} at offset ${offset}`;
      const entry = readRunEntry(value, place);
      fold.add(entry, place);
      if (entry.by !== writer) lastByOther = offset;
      head = offset + 1;
    }
    more = records.length > 0;
  }
  return { fold, head, lastByOther };
}
