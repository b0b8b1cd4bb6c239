import {
  abortError,
  type IdSource,
  limitError,
  observeStores,
  onAbort,
  type RandomSource,
  type RunRecorder,
  type StepContext,
  type StoreRegistry,
  type TinyAgentsError,
  type ToolMessage,
} from "@tinyagents/core";
import type { AgentDefinition } from "../definition.js";
import { type Deadline, Deadlines } from "./deadlines.js";
import type { LiveState } from "./live-state.js";
import type { RunClaim } from "./run-claim.js";
import { RunScope } from "./run-scope.js";
import { WatchedRun, type Watchers } from "./watched-run.js";

/** Something that a run waits for. */
export interface UnderWay {
  /** For whoever asks what did not stop. */
  readonly name: string;
  /** The run goes on without it. */
  leave?(reason: TinyAgentsError): void;
}

/** What a driver may hand to a run besides the surroundings. */
export interface LiveRunOptions extends StepContext, Pick<Watchers, "modes" | "owner"> {
  /** The claim by which the driver has the run already. */
  readonly claim?: RunClaim | undefined;
}

/**
 * The live side of a run: its state together with everything that is not data. Made for as long as one driver moves
 * the run, and closed after it.
 */
export class LiveRun extends WatchedRun {
  readonly ids: IdSource;
  readonly random: RandomSource;
  readonly stores: StoreRegistry | undefined;
  readonly recorder: RunRecorder | undefined;
  /** By what claim the driver records. Absent: it moves the run without one, or has none yet. */
  claim: RunClaim | undefined;
  readonly data: unknown;
  readonly deadlines: Deadlines;
  #observed: StoreRegistry | undefined;
  #scope: RunScope | undefined;
  /** What the run waits for at the moment. Made for the first, and so no larger than need be. */
  #underWay: UnderWay[] | undefined;
  #ignoredBy: string[] | undefined;
  /** The run ended without what it had under way. */
  #leftBehind = false;
  #heard: Set<TinyAgentsError> | undefined;
  /** The structured answer as its schema gave it: it may be more than JSON. */
  output: { readonly value: unknown } | undefined;
  #toolFailures: Map<ToolMessage, TinyAgentsError> | undefined;
  /** What used up a limit, where a failure did. */
  limitCause: TinyAgentsError | undefined;
  #outOfTime: TinyAgentsError | undefined;
  /** The error that ended the run, with its causes. */
  failure: TinyAgentsError | undefined;
  /** Edits of the history since the last model call. */
  compactions = 0;
  /** Jumps since the last model call. */
  jumps = 0;
  /** Call ids of the history, for telling a repeated one. Made when first needed. */
  callIds: Set<string> | undefined;
  #unlink: (() => void) | undefined;
  #openedAtMs: number;

  constructor(definition: AgentDefinition, state: LiveState, options: LiveRunOptions) {
    super(definition, state, options);
    this.ids = options.ids ?? definition.ids;
    this.random = options.random ?? definition.random;
    this.stores = options.stores ?? definition.stores;
    this.recorder = options.recorder ?? definition.recorder;
    this.claim = options.claim;
    this.data = options.data;
    this.deadlines = new Deadlines(this.clock);
    this.#openedAtMs = this.clock.now();
    if (options.signal !== undefined) this.#follow(options.signal);
    const { wallClockMs } = state.config.limits;
    if (wallClockMs !== undefined) this.#limitTime(wallClockMs);
  }

  /** What hooks are called with. */
  get scope(): RunScope {
    this.#scope ??= new RunScope(this);
    return this.#scope;
  }

  /** The stores as the run uses them: who listens to it is told of what is done in them. */
  get usedStores(): StoreRegistry | undefined {
    if (this.stores === undefined || !this.listened) return this.stores;
    // They take no numbers: whether somebody listens must not change those of other events.
    this.#observed ??= observeStores(this.stores, ({ type, data }) => this.emitUnnumbered(type, data));
    return this.#observed;
  }

  /** Names of what did not settle when the run was cancelled. */
  get ignoredBy(): string[] {
    this.#ignoredBy ??= [];
    return this.#ignoredBy;
  }

  /** Whether the run was cancelled because its own time was up. */
  get outOfTime(): boolean {
    return this.#outOfTime !== undefined && this.cancellation.reason === this.#outOfTime;
  }

  /** How long a cancelled run waits for what it has under way, ms. */
  get graceMs(): number {
    return this.definition.policies.cancelGraceMs ?? 2_000;
  }

  /** @throws the reason when the run was cancelled. */
  throwIfCancelled(): void {
    const { reason } = this.cancellation;
    if (reason !== undefined) throw reason;
  }

  cancel(reason: TinyAgentsError): void {
    this.cancellation.cancel(reason);
  }

  /** Notes the time that has passed since the run was opened, or since the last note. */
  noteTime(): void {
    const nowMs = this.clock.now();
    this.state.elapsedMs += nowMs - this.#openedAtMs;
    this.#openedAtMs = nowMs;
  }

  /** What limits tell of the run, as data. */
  countersJson(): { readonly [name: string]: number } {
    return { ...this.state.counters, totalTokens: this.totalTokens, elapsedMs: this.elapsedMs };
  }

  get totalTokens(): number {
    return this.state.usage.totalTokens + this.state.childUsage.totalTokens;
  }

  get elapsedMs(): number {
    return this.state.elapsedMs + this.clock.now() - this.#openedAtMs;
  }

  /** Goes on without what ignores the cancellation, on a copy of the state. */
  leaveBehind(): void {
    const { reason } = this.cancellation;
    this.#leftBehind = true;
    this.state = structuredClone(this.state);
    for (const work of this.#underWay ?? []) {
      this.ignoredBy.push(work.name);
      if (reason !== undefined) work.leave?.(reason);
    }
  }

  /** Notes that `onError` hooks have heard of a failure. */
  hear(failure: TinyAgentsError): void {
    this.#heard ??= new Set();
    this.#heard.add(failure);
  }

  hasHeard(failure: TinyAgentsError): boolean {
    return this.#heard?.has(failure) === true;
  }

  /** Keeps the error that a tool result stands for, until its batch is finished. */
  noteFailure(result: ToolMessage, failure: TinyAgentsError): void {
    this.#toolFailures ??= new Map();
    this.#toolFailures.set(result, failure);
  }

  failureOf(result: ToolMessage): TinyAgentsError | undefined {
    return this.#toolFailures?.get(result);
  }

  /** The batch is finished: its failures are in the history, and known to whoever had to know. */
  forgetFailures(): void {
    this.#toolFailures = undefined;
  }

  /** Waits for the reader; meanwhile the time of the call that waits stands still. */
  async waitForReader(taking: Promise<void>, call: Deadline | undefined): Promise<void> {
    if (call !== undefined) this.deadlines.stand(call);
    try {
      await taking;
    } finally {
      if (call !== undefined) this.deadlines.goOn(call);
    }
  }

  begin(work: UnderWay): void {
    if (this.#underWay === undefined) this.#underWay = [work];
    else this.#underWay.push(work);
  }

  end(work: UnderWay): void {
    const underWay = this.#underWay;
    if (underWay === undefined) return;
    const place = underWay.lastIndexOf(work);
    const last = underWay.pop();
    if (last !== undefined && last !== work && place >= 0) underWay[place] = last;
  }

  /**
   * The state, for good. What was left behind may still write to the run, and then does so to a state that nobody
   * has.
   */
  takeState(): LiveState {
    const { state } = this;
    const { toolCalls } = state.counters;
    if (state.usage.toolCalls !== toolCalls) state.usage = { ...state.usage, toolCalls };
    if (this.#leftBehind) this.state = structuredClone(state);
    return state;
  }

  /** Leaves no listener and no timer behind. What ends later than its run is told to nobody. */
  override close(): void {
    super.close();
    this.#unlink?.();
    this.cancellation.close();
    this.deadlines.close();
  }

  #follow(signal: AbortSignal): void {
    this.#unlink = onAbort(signal, () => this.cancel(abortError(signal.reason)));
  }

  #limitTime(wallClockMs: number): void {
    const timeIsUp = (): void => {
      this.#outOfTime = limitError("wallClockMs", wallClockMs, this.countersJson());
      this.cancel(this.#outOfTime);
    };
    const leftMs = wallClockMs - this.state.elapsedMs;
    if (leftMs > 0) this.deadlines.after(leftMs, timeIsUp);
    else timeIsUp();
  }
}
