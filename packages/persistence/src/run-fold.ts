import {
  type AgentState,
  corruptData,
  isEnd,
  type Message,
  type RecordedRun,
  type ToolMessage,
} from "@tinyagents/core";
import type { LeaseEntry, RunEntry, StateFields, StepEntry } from "./run-entry.js";

/** Adds up the entries of a run's log, in their order, to the run that they tell of. */
export class RunFold {
  readonly #runId: string;
  readonly #messages: Message[] = [];
  readonly #toolResults = new Map<string, ToolMessage>();
  #fields: StateFields | undefined;
  #fence = 0;
  /** How many owners there were. */
  #owners = 0;
  #lease: LeaseEntry | undefined;

  constructor(runId: string) {
    this.#runId = runId;
  }

  /** @throws `corrupt_data` for an entry that does not follow from those before it. */
  add(entry: RunEntry, place: string): void {
    switch (entry.type) {
      case "step":
        this.#addStep(entry, place);
        return;
      case "tool_result":
        if (this.#fields === undefined) throw corruptData(place, "it is a tool result, and no state comes before it");
        this.#toolResults.set(entry.callId, entry.result);
        return;
      case "lease":
        this.#addLease(entry, place);
        return;
      case "release":
        if (entry.fence === this.#fence) this.#lease = undefined;
        return;
    }
  }

  /** The history so far. */
  get messages(): readonly Message[] {
    return this.#messages;
  }

  /** Whether the run has a state: its owners may have come to nothing. */
  get hasState(): boolean {
    return this.#fields !== undefined;
  }

  /** How many steps the run has done. 0 before the first. */
  get steps(): number {
    return this.#fields?.counters.steps ?? 0;
  }

  /** The number of the newest owner. 0 when there was none. */
  get fence(): number {
    return this.#fence;
  }

  /** The newest owner's lease; nothing when it has let go. Whether it has run out, time says. */
  get lease(): LeaseEntry | undefined {
    return this.#lease;
  }

  /**
   * The run; nothing when no state is recorded. Its attempt counts owners that recorded none. Its history is the fold's own:
   * nothing may be added after this.
   */
  run(): RecordedRun | undefined {
    if (this.#fields === undefined) return undefined;
    const attempt = Math.max(this.#fields.attempt ?? 1, this.#owners);
    const state: AgentState = { ...this.#fields, ...(attempt > 1 ? { attempt } : {}), messages: this.#messages };
    return { state, toolResults: this.#toolResults };
  }

  #addStep({ state, from, messages }: StepEntry, place: string): void {
    const { runId } = state.config;
    if (runId !== this.#runId)
      throw corruptData(`${place}.state.config.runId`, `it is of run "${runId}", not of "${this.#runId}"`);
    if (from > this.#messages.length) {
      throw corruptData(
        `${place}.from`,
        `it goes on from message ${from}, and only ${this.#messages.length} are there`,
      );
    }
    this.#messages.length = from;
    for (const message of messages) this.#messages.push(message);
    this.#fields = state;
    // The state has them by now: they are in its batch or in its history.
    this.#toolResults.clear();
    if (isEnd(state.phase)) this.#lease = undefined;
  }

  #addLease(lease: LeaseEntry, place: string): void {
    if (lease.fence < this.#fence)
      throw corruptData(`${place}.fence`, `owner ${lease.fence} does not come after owner ${this.#fence}`);
    if (lease.fence > this.#fence) this.#owners++;
    this.#fence = lease.fence;
    this.#lease = lease;
  }
}
