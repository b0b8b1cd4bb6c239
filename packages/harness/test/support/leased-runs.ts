import type { LeasingRecorder, RecordOptions, RunLease } from "@tinyagents/core";
import { TinyAgentsError } from "@tinyagents/core";
import { type KeptRuns, keptRuns } from "./kept-runs.js";

/** Runs that are kept in memory, each with one owner at a time. Time takes no lease away: tests do. */
export interface LeasedRuns extends KeptRuns, LeasingRecorder {
  /** What was asked of it, in order: `claim r`, `step r 1` with the fence of its lease, ... */
  readonly asked: readonly string[];
  /** Runs that have an owner. */
  readonly owned: readonly string[];
  /** Gives a run to somebody else. */
  takeAway(runId: string): void;
  /** What happens to renewals. Default: they are granted. */
  onRenew: () => Promise<void> | void;
}

export function leasedRuns(durationMs?: number): LeasedRuns {
  const kept = keptRuns();
  const asked: string[] = [];
  const owners = new Map<string, number>();
  let lastFence = 0;
  const check = (runId: string, lease: RunLease | undefined): void => {
    if (owners.get(runId) !== lease?.fence) throw conflict(runId);
  };
  const note = (what: string, runId: string, { lease }: RecordOptions = {}): void => {
    asked.push(`${what} ${runId}${lease === undefined ? "" : ` ${lease.fence}`}`);
  };
  const runs: LeasedRuns = {
    get states() {
      return kept.states;
    },
    results: kept.results,
    asked,
    get owned() {
      return [...owners.keys()];
    },
    takeAway: (runId) => void owners.set(runId, ++lastFence),
    onRenew: () => {},
    load(runId) {
      note("load", runId);
      return kept.load(runId);
    },
    async step(state, options = {}) {
      const { runId } = state.config;
      note("step", runId, options);
      check(runId, options.lease);
      await kept.step(state);
    },
    async toolResult(runId, callId, result, options = {}) {
      note("toolResult", runId, options);
      check(runId, options.lease);
      await kept.toolResult(runId, callId, result);
    },
    async claim(runId, { takeOver = false } = {}) {
      note(takeOver ? "take over" : "claim", runId);
      if (owners.has(runId) && !takeOver) throw conflict(runId);
      owners.set(runId, ++lastFence);
      return { runId, fence: lastFence, ...(durationMs === undefined ? {} : { durationMs }) };
    },
    async renew(lease) {
      note("renew", lease.runId, { lease });
      await runs.onRenew();
      check(lease.runId, lease);
    },
    async release(lease) {
      note("release", lease.runId, { lease });
      if (owners.get(lease.runId) === lease.fence) owners.delete(lease.runId);
    },
  };
  return runs;
}

export function conflict(runId: string): TinyAgentsError<"conflict"> {
  return new TinyAgentsError("conflict", `Somebody else owns ${runId}.`, {
    details: { resource: runId, expected: null, found: null },
  });
}
