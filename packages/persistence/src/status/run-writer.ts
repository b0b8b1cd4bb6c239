import {
  type AgentEvent,
  type Clock,
  hasEnded,
  isTinyAgentsError,
  type RunStatusRecord,
  type RunStatusStore,
  type StoreVersion,
} from "@tinyagents/core";
import { attemptOf, foldRunStatus, isResumption } from "./fold.js";

/** How the status of a run is written. */
export interface WriterSettings {
  readonly statuses: RunStatusStore;
  readonly clock: Clock;
  /** The least time between two writes that no change of state asks for, ms. */
  readonly intervalMs: number;
  /** How often a run that waits for a call says that it is still there, ms. */
  readonly heartbeatMs: number;
  /** For how long after it first failed a write is tried again without being asked for, ms. */
  readonly retryForMs: number;
  readonly onError: (error: unknown, runId: string) => void;
}

/** Events that are held, the newest, while what was stored of their run cannot be read. */
const MOST_HELD = 10_000;
/** A write that fails is tried again after ever longer times. */
const LONGEST_WAIT_MS = 60_000;
/** How often a status is read again that somebody else has written meanwhile. */
const MOST_CONFLICTS = 8;

/** Writes the status of one run, one write at a time. Nobody waits for it. */
export class RunWriter {
  readonly #runId: string;
  readonly #settings: WriterSettings;
  #held: AgentEvent[] = [];
  #loaded = false;
  #status: RunStatusRecord | undefined;
  #version: StoreVersion | null = null;
  /** The status that is stored. */
  #written: RunStatusRecord | undefined;
  #writing: Promise<void> | undefined;
  #writtenAtMs = Number.NEGATIVE_INFINITY;
  #failures = 0;
  /** When the first of them was. */
  #failingSinceMs = 0;
  /** Somebody else has gone on with the run: what is told of it here is over until it goes on here. */
  #overtaken = false;
  #stopTimer: (() => void) | undefined;
  #timerAtMs = Number.POSITIVE_INFINITY;
  #closed = false;

  constructor(runId: string, settings: WriterSettings) {
    this.#runId = runId;
    this.#settings = settings;
  }

  /** Whether everything that was told is stored. */
  get idle(): boolean {
    return this.#writing === undefined && this.#held.length === 0 && this.#status === this.#written;
  }

  /** Whether the run needs no writer any more. */
  get done(): boolean {
    return this.idle && (this.#status === undefined || hasEnded(this.#status.state));
  }

  take(event: AgentEvent): void {
    if (isResumption(event)) this.#overtaken = false;
    if (this.#overtaken) return;
    if (this.#loaded) this.#fold(event);
    else this.#hold(event);
    this.#schedule();
  }

  /** Writes what is not stored yet. @throws what the store throws. */
  async flush(): Promise<void> {
    while (!this.idle) await (this.#writing ?? this.#begin());
  }

  close(): void {
    this.#closed = true;
    this.#clearTimer();
  }

  #fold(event: AgentEvent): void {
    this.#status = foldRunStatus(this.#status, event);
  }

  #hold(event: AgentEvent): void {
    this.#held.push(event);
    if (this.#held.length > MOST_HELD) this.#held.shift();
  }

  /** Sets the timer for the next write, unless an earlier one is set, or one is under way. */
  #schedule(): void {
    const delayMs = this.#delayMs();
    if (this.#closed || this.#writing !== undefined || delayMs === undefined) return;
    const { clock } = this.#settings;
    const nowMs = clock.now();
    const atMs = Math.max(nowMs, this.#writtenAtMs + delayMs);
    if (atMs <= nowMs) {
      this.#begin().catch(told);
      return;
    }
    if (atMs >= this.#timerAtMs) return;
    this.#clearTimer();
    this.#timerAtMs = atMs;
    // No process is held by a store that is gone, or by a call that nothing else waits for.
    const keepAlive = this.#failures === 0 && !this.idle;
    this.#stopTimer = clock.setTimer(atMs - nowMs, () => void this.#begin().catch(told), { keepAlive });
  }

  /** How long after the last write, or try, the next one is due. */
  #delayMs(): number | undefined {
    const { intervalMs, heartbeatMs } = this.#settings;
    if (this.#failures > 0) return Math.min(LONGEST_WAIT_MS, Math.max(100, intervalMs) * 2 ** this.#failures);
    if (!this.#loaded || this.#status?.state !== this.#written?.state) return 0;
    if (!this.idle) return intervalMs;
    return this.#waitsForCall() ? heartbeatMs : undefined;
  }

  #clearTimer(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    this.#timerAtMs = Number.POSITIVE_INFINITY;
  }

  /** One write, or the one that is under way. */
  #begin(): Promise<void> {
    this.#writing ??= this.#writeAndGoOn();
    return this.#writing;
  }

  async #writeAndGoOn(): Promise<void> {
    this.#clearTimer();
    try {
      await this.#write();
      this.#failures = 0;
    } catch (error) {
      if (this.#failures === 0) this.#failingSinceMs = this.#settings.clock.now();
      this.#failures++;
      this.#settings.onError(error, this.#runId);
      throw error;
    } finally {
      this.#writtenAtMs = this.#settings.clock.now();
      this.#writing = undefined;
      if (!this.#hasGivenUp) this.#schedule();
    }
  }

  /** Whether another try is left to the next event, or to whoever flushes. */
  get #hasGivenUp(): boolean {
    return this.#failures > 0 && this.#writtenAtMs - this.#failingSinceMs >= this.#settings.retryForMs;
  }

  #waitsForCall(): boolean {
    return !this.#overtaken && this.#status !== undefined && this.#status.activeCalls.length > 0;
  }

  async #write(): Promise<void> {
    if (!this.#loaded) await this.#load();
    for (let conflicts = 0; this.#status !== undefined; conflicts++) {
      const news = this.#status !== this.#written;
      if (!news && !this.#waitsForCall()) return;
      const status = news ? this.#status : this.#stillThere(this.#status);
      try {
        this.#version = await this.#settings.statuses.save(status, { ifVersion: this.#version });
        if (this.#status === this.#written) this.#status = status;
        this.#written = status;
        return;
      } catch (error) {
        if (conflicts >= MOST_CONFLICTS || !isTinyAgentsError(error, "conflict")) throw error;
        if (await this.#isBehind()) return;
      }
    }
  }

  /** The same, heard of now. */
  #stillThere(status: RunStatusRecord): RunStatusRecord {
    return { ...status, updatedAtMs: Math.max(status.updatedAtMs, this.#settings.clock.now()) };
  }

  async #load(): Promise<void> {
    const found = await this.#settings.statuses.get(this.#runId);
    this.#status = this.#written = found?.status;
    this.#version = found?.version ?? null;
    this.#loaded = true;
    const held = this.#held;
    this.#held = [];
    for (const event of held) this.#fold(event);
  }

  /** Somebody else has written. Whether that one has got further: then this one follows. */
  async #isBehind(): Promise<boolean> {
    const found = await this.#settings.statuses.get(this.#runId);
    this.#version = found?.version ?? null;
    if (found === undefined || this.#status === undefined || !isFurther(found.status, this.#status)) return false;
    this.#overtaken = resumedAfter(found.status, this.#status) > 0;
    this.#status = this.#written = found.status;
    return true;
  }
}

/** Whoever is to hear of a failure has heard of it. */
function told(): void {}

/** Whether a status tells of more than another: of a later resume, or of a later event of the same one. */
function isFurther(one: RunStatusRecord, other: RunStatusRecord): boolean {
  const later = resumedAfter(one, other);
  return later === 0 ? one.lastSeq >= other.lastSeq : later > 0;
}

/** Above 0: the one tells of a later attempt, or of a later resume in the same. Below 0: the other does. */
function resumedAfter(one: RunStatusRecord, other: RunStatusRecord): number {
  return attemptOf(one) - attemptOf(other) || one.counters.resumes - other.counters.resumes;
}
