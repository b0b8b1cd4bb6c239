import {
  type AgentState,
  type AppendStore,
  isEnd,
  isTinyAgentsError,
  type JsonValue,
  type Message,
  type RecordedRun,
  TinyAgentsError,
  type ToolMessage,
} from "@tinyagents/core";
import { changedFrom } from "./changed-from.js";
import { type RunEntry, readRunEntry, stepEntry, toolResultEntry } from "./run-entry.js";
import { RunFold } from "./run-fold.js";

/** Where a run is recorded, and by whom. */
export interface RunLogOptions {
  readonly log: AppendStore;
  readonly stream: string;
  readonly runId: string;
  /** Told apart from all other writers. */
  readonly writer: string;
  /** A key that no other append is made under. */
  nextKey(): string;
}

/** What is known of a log, so that only what is new needs to be written. */
interface Known {
  /** The offset of the next entry. */
  head: number;
  /** How many steps the run had done at its last recorded state. */
  steps: number;
  /** Whether that state was recorded from here, and not only read: then the next one must have done more. */
  steppedHere: boolean;
  /** The recorded history, as objects of whoever steps the run. */
  readonly messages: Message[];
}

/** The log of one run. Its operations take turns, in the order in which they were asked for. */
export class RunLog {
  readonly #options: RunLogOptions;
  #turn: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #known: Known | undefined;
  /** An append failed and may have been written all the same: from this offset on, only our own entries may stand. */
  #unsureFrom: number | undefined;
  /** Somebody else records the run. Stays until it is loaded again. */
  #lost: TinyAgentsError<"conflict"> | undefined;
  #ended = false;

  constructor(options: RunLogOptions) {
    this.#options = options;
  }

  /** Nothing is under way. */
  get idle(): boolean {
    return this.#waiting === 0;
  }

  /** Nothing is under way and nothing is due: the run has ended, or there is none. */
  get finished(): boolean {
    return this.#ended && this.idle && this.#unsureFrom === undefined && this.#lost === undefined;
  }

  load(): Promise<RecordedRun | undefined> {
    return this.#inTurn(async () => {
      this.#known = undefined;
      this.#lost = undefined;
      this.#unsureFrom = undefined;
      const fold = await this.#read();
      const run = fold.run();
      this.#ended = run === undefined || run.state.phase === "done";
      return run;
    });
  }

  step(state: AgentState): Promise<void> {
    return this.#inTurn(async () => {
      const known = await this.#catchUp();
      checkGoesOn(state, known, this.#options.stream);
      const from = changedFrom(known.messages, state.messages);
      const entry = stepEntry(state, from, this.#options.writer);
      await this.#append(known, entry);
      known.messages.length = from;
      for (const message of entry.messages) known.messages.push(message);
      known.steps = state.counters.steps;
      known.steppedHere = true;
      this.#ended = isEnd(state.phase);
    });
  }

  toolResult(callId: string, result: ToolMessage): Promise<void> {
    return this.#inTurn(async () => {
      const known = await this.#catchUp();
      if (known.head === 0) throw resultBeforeState(this.#options.runId, callId);
      await this.#append(known, toolResultEntry(callId, result, this.#options.writer));
      this.#ended = false;
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    this.#waiting++;
    const done = this.#turn.then(work).finally(() => this.#waiting--);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  async #catchUp(): Promise<Known> {
    if (this.#lost !== undefined) throw this.#lost;
    if (this.#known === undefined) await this.#read();
    return this.#known as unknown as Known;
  }

  /** Reads the log from its start, and notes what is known from it. */
  async #read(): Promise<RunFold> {
    const { log, stream, runId, writer } = this.#options;
    const fold = new RunFold(runId);
    let head = 0;
    for (let more = true; more; ) {
      const records = await log.read(stream, { from: head });
      for (const { offset, value } of records) {
        const place = `${stream} at offset ${offset}`;
        const entry = readRunEntry(value, place);
        if (this.#unsureFrom !== undefined && offset >= this.#unsureFrom && entry.by !== writer) {
          throw this.#lose(this.#unsureFrom, offset);
        }
        fold.add(entry, place);
        head = offset + 1;
      }
      more = records.length > 0;
    }
    this.#unsureFrom = undefined;
    // A copy, since whoever steps the run may extend the history that is loaded.
    this.#known = { head, steps: fold.steps, steppedHere: false, messages: fold.messages.slice() };
    return fold;
  }

  async #append(known: Known, entry: RunEntry): Promise<void> {
    const { log, stream, nextKey } = this.#options;
    const options = { expectedOffset: known.head, idempotencyKey: nextKey() };
    try {
      await log.append(stream, [entry as unknown as JsonValue], options);
    } catch (error) {
      if (isTinyAgentsError(error, "conflict")) throw this.#lose(known.head, error.details.found, error);
      if (!isTinyAgentsError(error, "invalid_request")) this.#forget(known.head);
      throw error;
    }
    known.head++;
  }

  /** After a failure that leaves open whether the entry was written. */
  #forget(head: number): void {
    this.#known = undefined;
    this.#unsureFrom = head;
  }

  #lose(expected: JsonValue, found: JsonValue, cause?: unknown): TinyAgentsError<"conflict"> {
    const { stream, runId } = this.#options;
    this.#known = undefined;
    this.#lost = new TinyAgentsError(
      "conflict",
      `Somebody else has recorded run "${runId}" meanwhile. Nothing was written; stop here, or load the run and go on from what is recorded.`,
      { details: { resource: stream, expected, found }, cause, runId },
    );
    return this.#lost;
  }
}

/** One of two drivers that share a recorder falls behind the other; so does a new run under an id that was used. */
function checkGoesOn({ config, counters: { steps } }: AgentState, known: Known, stream: string): void {
  if (steps > known.steps || (steps === known.steps && !known.steppedHere)) return;
  throw new TinyAgentsError(
    "conflict",
    `The state of run "${config.runId}" has done ${steps} steps, and ${known.steps} are recorded already. Nothing was written; ` +
      "load the run and go on from what is recorded, or give a new run an id of its own.",
    { details: { resource: stream, expected: known.steps, found: steps }, runId: config.runId },
  );
}

function resultBeforeState(runId: string, callId: string): TinyAgentsError<"invalid_request"> {
  return new TinyAgentsError(
    "invalid_request",
    `The result of call "${callId}" cannot be recorded: no state of run "${runId}" is. Record the state first, with step.`,
    { details: { reason: "no state is recorded" }, runId },
  );
}
