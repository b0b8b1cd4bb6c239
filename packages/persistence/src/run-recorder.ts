import {
  type AppendStore,
  type Clock,
  checkOptions,
  type FieldRule,
  type IdSource,
  type LeasingRecorder,
  randomIds,
  systemClock,
  TinyAgentsError,
} from "@tinyagents/core";
import { rules } from "./option-rules.js";
import { RunLogs } from "./run-logs.js";
import { streamName } from "./stream-name.js";

export interface RunRecorderOptions {
  /** What names of streams start with; a `/` and the run id follow. Default `runs`. */
  readonly prefix?: string | undefined;
  /** Where the recorder takes an id of its own from, told apart from that of every other process. Default: random. */
  readonly ids?: IdSource | undefined;
  /**
   * How long a lease holds without being renewed, ms. Default 30,000 where several processes may use the log. Where one may,
   * a lease holds until it is released: a recorder that another one finds in the log is gone.
   */
  readonly leaseMs?: number | undefined;
  /** Where leases take the time from. Default: real time. */
  readonly clock?: Clock | undefined;
}

const LEASE_MS = 30_000;

const RULES: { readonly [Option in keyof RunRecorderOptions]-?: FieldRule } = {
  prefix: rules.name,
  ids: rules.ids,
  leaseMs: ["a number of milliseconds above 0", (value) => Number.isFinite(value) && Number(value) > 0],
  clock: rules.clock,
};

/**
 * Keeps each run in a log of its own. A step is written as what is new in its history and everything else of the state,
 * so that the cost of a run grows with its length; a tool result is written at once. A run that has ended stays in its
 * log until the application deletes the stream: `runs/` and the run id, in which `%` is written `%25` and `/` `%2F`.
 *
 * A run has one owner at a time, see `claim`; leases stand in its log. Of two writers without a lease the second gets
 * `conflict`, for everything that it tries until it loads the run again. A write that failed is not repeated; the next one
 * first looks whether it had been written after all.
 *
 * @throws `TypeError` for options that cannot be.
 */
export function runRecorder(log: AppendStore, options: RunRecorderOptions = {}): LeasingRecorder {
  checkOptions(options, RULES, "runRecorder: options");
  const { prefix = "runs", ids = randomIds(), clock = systemClock } = options;
  const leaseMs = options.leaseMs ?? (log.capabilities.multiProcess ? LEASE_MS : undefined);
  const writer = ids.next("recorder");
  let appends = 0;
  let lastFence = 0;
  const shared = {
    log,
    writer,
    clock,
    leaseMs,
    nextKey: () => `${writer}/${++appends}`,
    nextFence: (newest: number) => {
      lastFence = Math.max(lastFence, newest) + 1;
      return lastFence;
    },
  };
  const logs = new RunLogs((runId) => ({ ...shared, runId, stream: streamOf(prefix, runId) }));
  return {
    load: (runId) => logs.use(runId, (run) => run.load()),
    step: (state, { lease } = {}) => logs.use(state.config.runId, (run) => run.step(state, lease)),
    toolResult: (runId, callId, result, { lease } = {}) =>
      logs.use(runId, (run) => run.toolResult(callId, result, lease)),
    claim: (runId, { takeOver = false } = {}) => logs.use(runId, (run) => run.claim(takeOver)),
    renew: (lease) => logs.use(lease.runId, (run) => run.renew(lease)),
    release: (lease) => logs.use(lease.runId, (run) => run.release(lease)),
  };
}

/** The stream of a run: no two pairs of prefix and run id share one. */
function streamOf(prefix: string, runId: string): string {
  if (runId !== "") return streamName(prefix, runId);
  throw new TinyAgentsError("invalid_request", "A run can be recorded only under an id that is not empty.", {
    details: { reason: "empty run id" },
  });
}
