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

/** Somebody who goes along with a stream. */
export interface StreamCompanion {
  /** Called before each fragment is asked for: what may have to be waited for first. */
  due(): Promise<void> | undefined;
  /** Called when the source has ended, has failed or was left; more than once where it was asked again. */
  over(): void;
}

/**
 * A stream whose fragments are looked at where they come in, so that who made a wrong one can be named. `refuse` gets
 * what is wrong with which fragment, counted from 1, and makes the error. The source is closed then.
 * @throws what `refuse` makes: at once for what is no stream, else from the iterator.
 */
export function checkedStream(
  source: AsyncIterable<ModelDelta>,
  refuse: (fault: string, delta?: number) => TinyAgentsError,
  companion?: StreamCompanion,
): AsyncIterableIterator<ModelDelta, undefined, undefined> {
  const fault = streamFault(source);
  if (fault !== undefined) throw refuse(fault);
  return new CheckedStream(source[Symbol.asyncIterator](), refuse, companion);
}

type Result = IteratorResult<ModelDelta, undefined>;

class CheckedStream implements AsyncIterableIterator<ModelDelta, undefined, undefined> {
  readonly #source: AsyncIterator<ModelDelta>;
  readonly #refuse: (fault: string, delta?: number) => TinyAgentsError;
  readonly #onResult = (result: IteratorResult<ModelDelta>): Result | Promise<Result> => this.#look(result);
  readonly #onFailure = (error: unknown): Promise<Result> => {
    this.#companion?.over();
    return Promise.reject(error);
  };
  readonly #companion: StreamCompanion | undefined;
  #deltas = 0;

  constructor(
    source: AsyncIterator<ModelDelta>,
    refuse: (fault: string, delta?: number) => TinyAgentsError,
    companion: StreamCompanion | undefined,
  ) {
    this.#source = source;
    this.#refuse = refuse;
    this.#companion = companion;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Result> {
    const pausing = this.#companion?.due();
    return pausing === undefined ? this.#read() : pausing.then(() => this.#read());
  }

  #read(): Promise<Result> {
    try {
      return Promise.resolve(this.#source.next()).then(this.#onResult, this.#onFailure);
    } catch (error) {
      return this.#onFailure(error);
    }
  }

  async return(): Promise<Result> {
    try {
      await this.#source.return?.();
    } finally {
      this.#companion?.over();
    }
    return { value: undefined, done: true };
  }

  #look(result: IteratorResult<ModelDelta>): Result | Promise<Result> {
    if (typeof result !== "object" || result === null) return this.#fail(`its reader was given ${describe(result)}`);
    if (result.done === true) {
      this.#companion?.over();
      return { value: undefined, done: true };
    }
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
    this.#companion?.over();
    throw this.#refuse(fault, delta);
  }
}
