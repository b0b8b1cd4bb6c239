import { TinyAgentsError } from "../errors.js";
import { describe } from "../guarded-read.js";
import { deltaFault } from "./check-delta.js";
import type { ModelDelta } from "./delta.js";

/** The failure of a stream that breaks the contract. `delta`: which fragment, from 1, where it is one. */
export function corruptStream(model: string, reason: string, delta?: number): TinyAgentsError<"corrupt_data"> {
  const place = delta === undefined ? `the stream of ${model}` : `the stream of ${model}, delta ${delta}`;
  return new TinyAgentsError("corrupt_data", `Cannot read ${place}: ${reason}.`, { details: { place, reason } });
}

/** Why something is no stream; nothing when it is one. */
export function streamFault(source: unknown): string | undefined {
  const iterator = (source as { readonly [Symbol.asyncIterator]?: unknown } | null | undefined)?.[Symbol.asyncIterator];
  return typeof iterator === "function" ? undefined : `an async iterable is expected, ${describe(source)} found`;
}

/** Something that may have to be waited for between two fragments. */
export interface Pacer {
  due(): Promise<void> | undefined;
}

/**
 * A stream whose fragments are looked at where they come in, so that who made a wrong one can be named. `refuse` gets
 * what is wrong with which fragment, counted from 1, and makes the error. The source is closed then. `pacer` is waited for before each fragment.
 * @throws what `refuse` makes: at once for what is no stream, else from the iterator.
 */
export function checkedStream(
  source: AsyncIterable<ModelDelta>,
  refuse: (fault: string, delta?: number) => TinyAgentsError,
  pacer?: Pacer,
): AsyncIterableIterator<ModelDelta, undefined, undefined> {
  const fault = streamFault(source);
  if (fault !== undefined) throw refuse(fault);
  return new CheckedStream(source[Symbol.asyncIterator](), refuse, pacer);
}

type Result = IteratorResult<ModelDelta, undefined>;

class CheckedStream implements AsyncIterableIterator<ModelDelta, undefined, undefined> {
  readonly #source: AsyncIterator<ModelDelta>;
  readonly #refuse: (fault: string, delta?: number) => TinyAgentsError;
  readonly #onResult = (result: IteratorResult<ModelDelta>): Result | Promise<Result> => this.#look(result);
  readonly #pacer: Pacer | undefined;
  #deltas = 0;

  constructor(
    source: AsyncIterator<ModelDelta>,
    refuse: (fault: string, delta?: number) => TinyAgentsError,
    pacer: Pacer | undefined,
  ) {
    this.#source = source;
    this.#refuse = refuse;
    this.#pacer = pacer;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Result> {
    const pausing = this.#pacer?.due();
    return pausing === undefined ? this.#read() : pausing.then(() => this.#read());
  }

  #read(): Promise<Result> {
    return Promise.resolve(this.#source.next()).then(this.#onResult);
  }

  async return(): Promise<Result> {
    await this.#source.return?.();
    return { value: undefined, done: true };
  }

  #look(result: IteratorResult<ModelDelta>): Result | Promise<Result> {
    if (typeof result !== "object" || result === null) return this.#fail(`its reader was given ${describe(result)}`);
    if (result.done === true) return { value: undefined, done: true };
    this.#deltas++;
    const fault = deltaFault(result.value);
    return fault === undefined ? result : this.#fail(fault, this.#deltas);
  }

  async #fail(fault: string, delta?: number): Promise<never> {
    try {
      await this.#source.return?.();
    } catch {
      // What is wrong already is told, not what went wrong in leaving it.
    }
    throw this.#refuse(fault, delta);
  }
}
