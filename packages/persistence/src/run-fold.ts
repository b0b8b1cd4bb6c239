import { type AgentState, corruptData, type Message, type RecordedRun, type ToolMessage } from "@tinyagents/core";
import type { RunEntry, StateFields } from "./run-entry.js";

/** Adds up the entries of a run's log, in their order, to the run that they tell of. */
export class RunFold {
  readonly #runId: string;
  readonly #messages: Message[] = [];
  readonly #toolResults = new Map<string, ToolMessage>();
  #fields: StateFields | undefined;

  constructor(runId: string) {
    this.#runId = runId;
  }

  /** @throws `corrupt_data` for an entry that does not follow from those before it. */
  add(entry: RunEntry, place: string): void {
    if (entry.type === "tool_result") {
      if (this.#fields === undefined) throw corruptData(place, "it is a tool result, and no state comes before it");
      this.#toolResults.set(entry.callId, entry.result);
      return;
    }
    const { runId } = entry.state.config;
    if (runId !== this.#runId)
      throw corruptData(`${place}.state.config.runId`, `it is of run "${runId}", not of "${this.#runId}"`);
    if (entry.from > this.#messages.length) {
      throw corruptData(
        `${place}.from`,
        `it goes on from message ${entry.from}, and only ${this.#messages.length} are there`,
      );
    }
    this.#messages.length = entry.from;
    for (const message of entry.messages) this.#messages.push(message);
    this.#fields = entry.state;
    this.#toolResults.clear();
  }

  /** The history so far. */
  get messages(): readonly Message[] {
    return this.#messages;
  }

  /** How many steps the run has done. 0 before the first. */
  get steps(): number {
    return this.#fields?.counters.steps ?? 0;
  }

  /** The run; nothing when there was no entry. Its history is the fold's own: nothing may be added after this. */
  run(): RecordedRun | undefined {
    if (this.#fields === undefined) return undefined;
    const state: AgentState = { ...this.#fields, messages: this.#messages };
    return { state, toolResults: this.#toolResults };
  }
}
