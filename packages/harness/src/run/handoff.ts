import type { Awaitable } from "../awaitable.js";

interface Reader<T> {
  readonly resolve: (result: IteratorResult<T, undefined>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Passes items from a run to the one reader who pulls them. One item may lie ready; a writer that is ahead of the reader
 * by more is given a promise to wait for. Nothing is lost; what writers who do not wait have given piles up.
 */
export class Handoff<T> {
  readonly #ready: T[] = [];
  /** Calls of `next` that wait for an item, first come, first served. */
  readonly #readers: Reader<T>[] = [];
  /** Writers that wait for the reader to catch up. */
  #writers: (() => void)[] = [];
  #end: { readonly error?: unknown } | undefined;

  /** Gives an item. A promise holds the writer until the reader has caught up. */
  push(item: T): Awaitable<void> {
    if (this.#end !== undefined) return;
    const reader = this.#readers.shift();
    if (reader !== undefined) {
      reader.resolve({ value: item, done: false });
      return;
    }
    this.#ready.push(item);
    if (this.#ready.length === 1) return;
    return new Promise<void>((resolve) => {
      this.#writers.push(resolve);
    });
  }

  /** No further items: the reader gets those that are ready, then the end, or the error. */
  end(end: { readonly error?: unknown } = {}): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    for (const reader of this.#readers.splice(0)) this.#tellEnd(reader);
  }

  /** Drops what is ready and lets waiting writers go: nobody reads any more. */
  abandon(): void {
    this.#ready.length = 0;
    this.end();
    this.#release();
  }

  next(): Promise<IteratorResult<T, undefined>> {
    if (this.#ready.length > 0) {
      const value = this.#ready.shift() as T;
      if (this.#ready.length <= 1) this.#release();
      return Promise.resolve({ value, done: false });
    }
    return new Promise((resolve, reject) => {
      if (this.#end === undefined) this.#readers.push({ resolve, reject });
      else this.#tellEnd({ resolve, reject });
    });
  }

  /** The error is told once; whoever asks again gets the end. */
  #tellEnd({ resolve, reject }: Reader<T>): void {
    const end = this.#end;
    if (end === undefined || !("error" in end)) {
      resolve({ value: undefined, done: true });
      return;
    }
    this.#end = {};
    reject(end.error);
  }

  #release(): void {
    const writers = this.#writers;
    this.#writers = [];
    for (const release of writers) release();
  }
}
