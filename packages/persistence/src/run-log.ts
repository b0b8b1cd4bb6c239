import {
  type AgentState,
  type Clock,
  isEnd,
  isTinyAgentsError,
  type JsonValue,
  type Message,
  type RecordedRun,
  type RunLease,
  TinyAgentsError,
  type ToolMessage,
} from "@tinyagents/core";
import { changedFrom } from "./changed-from.js";
import { type RunPlace, readRun } from "./read-run.js";
import { fallenBehind, ownedByAnother, ownedNoLonger, recordedByAnother } from "./run-conflicts.js";
import { type LeaseEntry, leaseEntry, type RunEntry, releaseEntry, stepEntry, toolResultEntry } from "./run-entry.js";
import type { RunFold } from "./run-fold.js";

/** Where a run is recorded, and what its recorder has for all its runs. */
export interface RunLogOptions extends RunPlace {
  readonly clock: Clock;
  /** How long a lease holds, ms. Absent: as long as the recorder that gave it. */
  readonly leaseMs: number | undefined;
  /** A key that no other append is made under. */
  nextKey(): string;
  /** A number above `newest` that no other owner was given here. */
  nextFence(newest: number): number;
}

/** What is known of a log, so that only what is new needs to be written. */
interface Known {
  /** The offset of the next entry. */
  head: number;
  /** Whether a state is recorded. */
  hasState: boolean;
  /** How many steps the run had done at its last recorded state. */
  steps: number;
  /** Whether that state was recorded from here, and not only read: then the next one must have done more. */
  steppedHere: boolean;
  /** The recorded history, as objects of whoever steps the run. */
  readonly messages: Message[];
  /** The lease of the newest owner, unless it has let go. */
  lease: LeaseEntry | undefined;
}

/** Whoever was given the run here. */
interface Owner {
  readonly fence: number;
  /** When its lease runs out; `null`: when it is released. */
  untilMs: number | null;
  /** The log says so: it does from the owner's first entry on. */
  written: boolean;
  /** From this offset on, only our own entries may stand in the log. */
  readonly from: number;
}

/**
 * The log of one run: what is written to it, and who may. Operations take turns, in the order in which they were asked
 * for. Each append says after what it comes, so nothing is ever written over what somebody else wrote.
 */
export class RunLog {
  readonly #options: RunLogOptions;
  #turn: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  /** Absent: the log has to be read first. */
  #known: Known | undefined;
  #owner: Owner | undefined;
  /** What was there when the run was claimed, until the owner loads or writes it. */
  #claimed: RunFold | undefined;
  /** An append failed and may have been written all the same: from this offset on, only our own entries may stand. */
  #unsureFrom: number | undefined;
  /** Somebody else records the run. Stays until it is loaded or claimed again. */
  #lost: TinyAgentsError<"conflict"> | undefined;
  #ended = false;

  constructor(options: RunLogOptions) {
    this.#options = options;
  }

  /** Nothing is under way. */
  get idle(): boolean {
    return this.#waiting === 0;
  }

  /** Somebody owns the run by a lease that was given here. */
  get owned(): boolean {
    return this.#owner !== undefined;
  }

  /** Nothing is under way, nobody owns the run, and nothing is due: it has ended, or there is none. */
  get finished(): boolean {
    return this.#ended && this.idle && !this.owned && this.#unsureFrom === undefined && this.#lost === undefined;
  }

  load(): Promise<RecordedRun | undefined> {
    return this.#inTurn(async () => {
      const fold = this.#claimed ?? (await this.#read()).fold;
      this.#claimed = undefined;
      this.#lost = undefined;
      const run = fold.run();
      this.#ended = run === undefined || run.state.phase === "done";
      return run;
    });
  }

  /**
   * Makes the caller the owner. The log is told together with the owner's first entry, or when the lease is renewed: a run that
   * does not go on after all leaves no trace, and when somebody else writes before, that append is refused.
   */
  claim(takeOver: boolean): Promise<RunLease> {
    return this.#inTurn(async () => {
      const { runId, leaseMs, nextFence } = this.#options;
      const { fold, known } = await this.#read();
      const holder = this.#holder(known);
      if (holder !== undefined && !takeOver) throw ownedByAnother(this.#options, holder);
      const fence = nextFence(fold.fence);
      this.#owner = { fence, untilMs: this.#leaseEnd(), written: false, from: known.head };
      this.#claimed = fold;
      this.#lost = undefined;
      return { runId, fence, ...(leaseMs === undefined ? {} : { durationMs: leaseMs }) };
    });
  }

  renew(lease: RunLease): Promise<void> {
    return this.#inTurn(async () => {
      const { known, owner } = await this.#catchUp(lease);
      if (owner === undefined) return;
      const runsOut = owner.untilMs !== null && known.lease !== undefined;
      if (runsOut || !owner.written) await this.#appendLease(known, owner);
    });
  }

  release(lease: RunLease): Promise<void> {
    return this.#inTurn(async () => {
      const owner = this.#owner;
      if (owner?.fence !== lease.fence) return;
      // The run is free here, whether or not the log can be told.
      this.#owner = undefined;
      this.#claimed = undefined;
      const { writer } = this.#options;
      const known = this.#known ?? (await this.#read()).known;
      const isOurs = known.lease?.by === writer && known.lease.fence === owner.fence;
      if (!isOurs || this.#lost !== undefined) return;
      await this.#append(known, [releaseEntry(owner.fence, writer)]);
      known.lease = undefined;
    }).catch(unlessConflict);
  }

  step(state: AgentState, lease?: RunLease): Promise<void> {
    return this.#inTurn(async () => {
      const { known, owner } = await this.#catchUp(lease);
      checkGoesOn(state, known, this.#options);
      const from = changedFrom(known.messages, state.messages);
      const entry = stepEntry(state, from, this.#options.writer);
      await this.#record(known, owner, entry);
      known.messages.length = from;
      for (const message of entry.messages) known.messages.push(message);
      known.hasState = true;
      known.steps = state.counters.steps;
      known.steppedHere = true;
      this.#ended = isEnd(state.phase);
      if (this.#ended) known.lease = undefined;
    });
  }

  toolResult(callId: string, result: ToolMessage, lease?: RunLease): Promise<void> {
    return this.#inTurn(async () => {
      const { known, owner } = await this.#catchUp(lease);
      if (!known.hasState) throw resultBeforeState(this.#options.runId, callId);
      await this.#record(known, owner, toolResultEntry(callId, result, this.#options.writer));
      this.#ended = false;
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    this.#waiting++;
    const done = this.#turn.then(work).finally(() => this.#waiting--);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  /** What is known, for a write: with this lease, or without any. @throws `conflict` for who may not write. */
  async #catchUp(lease: RunLease | undefined): Promise<{ readonly known: Known; readonly owner: Owner | undefined }> {
    const known = this.#known ?? (await this.#read()).known;
    if (this.#lost !== undefined) throw this.#lost;
    const owner = this.#owner;
    if (lease !== undefined) {
      if (owner?.fence !== lease.fence) throw ownedNoLonger(this.#options, lease.fence);
      return { known, owner };
    }
    const holder = this.#holder(known);
    if (holder !== undefined) throw ownedByAnother(this.#options, holder);
    this.#owner = undefined;
    return { known, owner: undefined };
  }

  /** Reads the log from its start, and notes what is known from it. */
  async #read(): Promise<{ readonly known: Known; readonly fold: RunFold }> {
    this.#known = undefined;
    this.#claimed = undefined;
    const { fold, head, lastByOther } = await readRun(this.#options);
    const unsureFrom = this.#unsureFrom;
    if (unsureFrom !== undefined && lastByOther >= unsureFrom) this.#lose(unsureFrom, lastByOther);
    if (this.#owner !== undefined && lastByOther >= this.#owner.from) this.#owner = undefined;
    this.#unsureFrom = undefined;
    const { hasState, steps, lease } = fold;
    if (this.#owner !== undefined) this.#owner.written = this.#owner.fence === fold.fence;
    // A copy, since whoever steps the run may extend the history that is loaded.
    const known: Known = { head, hasState, steps, steppedHere: false, messages: fold.messages.slice(), lease };
    this.#known = known;
    return { known, fold };
  }

  /** Adds the entry of whoever may write. That of an owner whom the log does not know yet comes with its lease. */
  async #record(known: Known, owner: Owner | undefined, entry: RunEntry): Promise<void> {
    if (owner === undefined || owner.written) await this.#append(known, [entry]);
    else await this.#appendLease(known, owner, entry);
  }

  /** Tells the log that the owner has the run from now on, or for longer. */
  async #appendLease(known: Known, owner: Owner, ...others: readonly RunEntry[]): Promise<void> {
    const lease = leaseEntry(owner.fence, this.#leaseEnd(), this.#options.writer);
    await this.#append(known, [lease, ...others]);
    owner.untilMs = lease.untilMs;
    owner.written = true;
    known.lease = lease;
  }

  async #append(known: Known, entries: readonly RunEntry[]): Promise<void> {
    const { log, stream, nextKey } = this.#options;
    const options = { expectedOffset: known.head, idempotencyKey: nextKey() };
    this.#claimed = undefined;
    try {
      await log.append(stream, entries as unknown as readonly JsonValue[], options);
    } catch (error) {
      if (isTinyAgentsError(error, "conflict")) throw this.#lose(known.head, error.details.found, error);
      if (!isTinyAgentsError(error, "invalid_request")) this.#forget(known.head);
      throw error;
    }
    known.head += entries.length;
  }

  /** After a failure that leaves open whether the entries were written. */
  #forget(head: number): void {
    this.#known = undefined;
    this.#unsureFrom = head;
  }

  #lose(expected: JsonValue, found: JsonValue, cause?: unknown): TinyAgentsError<"conflict"> {
    this.#known = undefined;
    this.#owner = undefined;
    this.#lost = recordedByAnother(this.#options, expected, found, cause);
    return this.#lost;
  }

  /**
   * Whoever owns the run now. A lease without an end is one of another recorder that is gone, or one of ours: then its owner
   * is known here.
   */
  #holder({ lease }: Known): Pick<LeaseEntry, "by" | "fence" | "untilMs"> | undefined {
    const nowMs = this.#options.clock.now();
    const { writer } = this.#options;
    const owner = this.#owner;
    if (owner !== undefined && nowMs < (owner.untilMs ?? Number.POSITIVE_INFINITY)) return { by: writer, ...owner };
    if (lease !== undefined && lease.by !== writer && nowMs < (lease.untilMs ?? 0)) return lease;
    return undefined;
  }

  /** When a lease runs out that is given now. */
  #leaseEnd(): number | null {
    const { clock, leaseMs } = this.#options;
    return leaseMs === undefined ? null : clock.now() + leaseMs;
  }
}

function checkGoesOn({ counters: { steps } }: AgentState, known: Known, place: RunPlace): void {
  if (steps > known.steps || (steps === known.steps && !known.steppedHere)) return;
  throw fallenBehind(place, steps, known.steps);
}

function unlessConflict(error: unknown): void {
  if (!isTinyAgentsError(error, "conflict")) throw error;
}

function resultBeforeState(runId: string, callId: string): TinyAgentsError<"invalid_request"> {
  return new TinyAgentsError(
    "invalid_request",
    `The result of call "${callId}" cannot be recorded: no state of run "${runId}" is. Record the state first, with step.`,
    { details: { reason: "no state is recorded" }, runId },
  );
}
