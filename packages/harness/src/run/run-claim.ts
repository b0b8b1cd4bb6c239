import {
  type ClaimOptions,
  corruptData,
  isTinyAgentsError,
  type LeasingRecorder,
  type RecordOptions,
  type RunLease,
  type RunRecorder,
  readNumber,
  readObject,
  readString,
  type TinyAgentsError,
} from "@tinyagents/core";
import type { LiveRun } from "./live-run.js";
import { recorderError } from "./record.js";

/**
 * Claims a run for a driver. Nothing without a recorder, or with one that gives no leases.
 * @throws `conflict` while somebody else owns the run; TypeError for a recorder that gives leases and takes none back.
 */
export async function claimRun(
  recorder: RunRecorder | undefined,
  runId: string,
  options?: ClaimOptions,
): Promise<RunClaim | undefined> {
  if (recorder === undefined || !givesLeases(recorder)) return undefined;
  let lease: RunLease;
  try {
    lease = await recorder.claim(runId, options);
  } catch (error) {
    throw recorderError("claim", error);
  }
  return new RunClaim(recorder, readLease(lease, runId));
}

/** Does something with a run that is claimed. However it ends, the run is let go of. */
export async function whileClaimed<T>(claim: RunClaim | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    await claim?.release();
  }
}

/** A driver's claim on the run that it moves: renewed while it does, released after it. */
export class RunClaim {
  /** On what terms the driver records. */
  readonly terms: RecordOptions;
  readonly #recorder: LeasingRecorder;
  readonly #lease: RunLease;
  #renewing = false;
  /** Why the lease could not be renewed the last time. */
  #failure: TinyAgentsError | undefined;
  /** Until when nobody else can have claimed the run. */
  #heldUntilMs = Number.POSITIVE_INFINITY;
  #over = false;

  constructor(recorder: LeasingRecorder, lease: RunLease) {
    this.#recorder = recorder;
    this.#lease = lease;
    this.terms = { lease };
  }

  /**
   * Renews the lease three times in the time for which it holds. Cancels the run when somebody else owns it, and when the
   * lease has run out and could not be renewed: from then on somebody else may.
   */
  keepUp(run: LiveRun): void {
    const { durationMs } = this.#lease;
    if (durationMs === undefined) return;
    this.#heldUntilMs = run.clock.now() + durationMs;
    this.#lookAgain(run, durationMs);
  }

  /**
   * Makes the claim known, before anything is told of the run that goes on: whoever resumes it later counts this time too.
   * @throws `conflict` when somebody else owns the run by now.
   */
  async makeKnown(): Promise<void> {
    try {
      await this.#recorder.renew(this.#lease);
    } catch (error) {
      throw recorderError("renew", error);
    }
  }

  /** Does nothing the second time. Never rejects: what has become of the run stands, and a lease that stays runs out. */
  async release(): Promise<void> {
    if (this.#over) return;
    this.#over = true;
    try {
      await this.#recorder.release(this.#lease);
    } catch {
      // The run has its outcome or its error, which says more.
    }
  }

  #lookAgain(run: LiveRun, durationMs: number): void {
    run.deadlines.after(durationMs / 3, () => {
      if (this.#over) return;
      const lost = this.#lostAt(run.clock.now());
      if (lost !== undefined) {
        run.cancel(lost);
        return;
      }
      if (!this.#renewing) void this.#renew(run, durationMs);
      this.#lookAgain(run, durationMs);
    });
  }

  /** Why the run must not go on; nothing while the lease holds, or was not asked for again yet. */
  #lostAt(nowMs: number): TinyAgentsError | undefined {
    if (nowMs < this.#heldUntilMs) return undefined;
    if (this.#failure !== undefined) return this.#failure;
    return this.#renewing ? recorderError("renew", new Error("it did not answer before the lease ran out")) : undefined;
  }

  async #renew(run: LiveRun, durationMs: number): Promise<void> {
    const askedAtMs = run.clock.now();
    this.#renewing = true;
    try {
      await this.#recorder.renew(this.#lease);
      this.#heldUntilMs = askedAtMs + durationMs;
      this.#failure = undefined;
    } catch (error) {
      this.#failure = recorderError("renew", error);
      if (!this.#over && isTinyAgentsError(error, "conflict")) run.cancel(this.#failure);
    } finally {
      this.#renewing = false;
    }
  }
}

function givesLeases(recorder: RunRecorder): recorder is LeasingRecorder {
  const { claim, renew, release } = recorder as Partial<LeasingRecorder>;
  if (typeof claim !== "function") return false;
  if (typeof renew === "function" && typeof release === "function") return true;
  throw new TypeError("A recorder with claim needs renew and release too: see LeasingRecorder");
}

/** A recorder is outside code: what it gives is looked at. */
function readLease(given: unknown, runId: string): RunLease {
  const place = `lease of run ${JSON.stringify(runId)}`;
  const lease = readObject(given, place);
  if (readString(lease.runId, `${place}.runId`) !== runId)
    throw corruptData(`${place}.runId`, `it is of another run, "${lease.runId}"`);
  readNumber(lease.fence, `${place}.fence`);
  if (lease.durationMs !== undefined && !(readNumber(lease.durationMs, `${place}.durationMs`) > 0))
    throw corruptData(`${place}.durationMs`, "a number of milliseconds above 0 is expected");
  return given as RunLease;
}
