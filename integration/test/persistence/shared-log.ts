import { type AppendStore, type LeasingRecorder, type ManualClock, manualClock } from "@tinyagents/core";
import { runRecorder } from "@tinyagents/persistence";
import { memoryAppendStore } from "@tinyagents/store-memory";

/** A log that several processes use at once, as far as their recorders can tell, and the time that they have. */
export interface SharedLog {
  readonly log: AppendStore;
  readonly clock: ManualClock;
  /** A recorder as another process makes it. Its leases hold for a minute. */
  recorder(log?: AppendStore): LeasingRecorder;
}

export function sharedLog(): SharedLog {
  const clock = manualClock({ startMs: 1_700_000_000_000 });
  const memory = memoryAppendStore();
  const log: AppendStore = { ...memory, capabilities: { ...memory.capabilities, multiProcess: true } };
  return { log, clock, recorder: (seen = log) => runRecorder(seen, { clock, leaseMs: 60_000 }) };
}
