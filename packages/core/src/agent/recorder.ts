import type { ToolMessage } from "../message/message.js";
import type { AgentState } from "./state.js";

/** What a recorder knows of a run. */
export interface RecordedRun {
  readonly state: AgentState;
  /** Results that came after `state` was recorded, by call id. */
  readonly toolResults: ReadonlyMap<string, ToolMessage>;
}

/** On what terms something is recorded. */
export interface RecordOptions {
  /** Whoever writes owns the run by this lease. Absent: it owns nothing, and must find the run without an owner. */
  readonly lease?: RunLease | undefined;
}

/**
 * Keeps runs so that they go on after a crash. This is resumption, not memory: it is written at every step.
 *
 * Without leases, see {@link LeasingRecorder}, nothing keeps two drivers from moving one run at the same time.
 */
export interface RunRecorder {
  /** The run; nothing when none was recorded under this id. */
  load(runId: string): Promise<RecordedRun | undefined>;
  /** Called after each step. The state is a live view: what is kept of it must be copied before this resolves. */
  step(state: AgentState, options?: RecordOptions): Promise<void> | void;
  /** A call counts as done when this has resolved. */
  toolResult(runId: string, callId: string, result: ToolMessage, options?: RecordOptions): Promise<void> | void;
}

/** The right of one driver to move a run: until it is released, or has run out, or is taken over. */
export interface RunLease {
  readonly runId: string;
  /** Which owner of the run this is. Rises from one to the next. */
  readonly fence: number;
  /** How long it holds after it was given or renewed, ms. Absent: until it is released. */
  readonly durationMs?: number;
}

/** On what terms a run is claimed. */
export interface ClaimOptions {
  /** Take the run from whoever owns it: for a run below another one, by the owner of that. Default false. */
  readonly takeOver?: boolean | undefined;
}

/**
 * A recorder that lets one driver at a time own a run. The agent loop claims a run before it loads or moves it, hands the
 * lease to every write, renews it before it goes on with a run and then well before it runs out, and releases it after the run.
 *
 * Whatever else an implementation does: a write with a lease that is not the newest of its run, and one without a lease
 * while somebody owns the run, is refused with `conflict` and changes nothing. What a claim writes it may put off until the
 * first write or renewal with its lease, which is then refused when anybody else has written since the claim.
 *
 * A state that is loaded has an `attempt` no lower than the number of owners who have written or renewed: so the next one's
 * is a number that no other owner had, even one that was killed before it recorded anything.
 */
export interface LeasingRecorder extends RunRecorder {
  /**
   * Makes the caller the owner of a run, whether or not anything is recorded of it. What `load` gives afterwards is what the
   * owner goes on from.
   * @throws `conflict`, retryable, while somebody else owns it.
   */
  claim(runId: string, options?: ClaimOptions): Promise<RunLease>;
  /** From here on, later owners know of this one. @throws `conflict` when the lease is not the newest any more. */
  renew(lease: RunLease): Promise<void>;
  /** Leaves the run without an owner. Does nothing when it has another one. A run that is recorded in an end phase needs none. */
  release(lease: RunLease): Promise<void>;
}
