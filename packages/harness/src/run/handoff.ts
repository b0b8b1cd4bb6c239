import type { Awaitable } from "../awaitable.js";

interface Reader<T> {
  readonly resolve: (result: IteratorResult<T, undefined>) => void;
  readonly reject: (error: unknown) => void;
}

/** Writers wait for one moment together, however many there are. */
interface CatchingUp {
  readonly done: Promise<void>;
  readonly resolve: () => void;
}

/** How many items may lie ready before those that may be dropped are. */
const MOST_READY = 1_024;

/**
 * Passes items from a run to the one reader who pulls them. One item may lie ready; a writer that is ahead of the reader
 * by more is given a promise to wait for. Writers who do not wait can fill it up to 1,024 items; of more, the oldest that
 * `mayDrop` allows are dropped and counted. Nothing else is lost.
 */
export class Handoff<T> {
  /** Items that were dropped because the reader was too slow. */
  dropped = 0;
  readonly #mayDrop: (item: T) => boolean;
  readonly #ready: T[] = [];
  /** Calls of `next` that wait for an item, first come, first served. */
  readonly #readers: Reader<T>[] = [];
  #catchingUp: CatchingUp | undefined;
  #end: { readonly error?: unknown } | undefined;

  constructor(mayDrop: (item: T) => boolean) {
    this.#mayDrop = mayDrop;
  }

  /** Gives an item. A promise, the same for all who wait, holds the writer until the reader has caught up. */
  push(item: T): Awaitable<void> {
    if (this.#end !== undefined) return;
    const reader = this.#readers.shift();
    if (reader !== undefined) {
      reader.resolve({ value: item, done: false });
      return;
    }
    this.#ready.push(item);
    if (this.#ready.length === 1) return;
    if (this.#ready.length > MOST_READY) this.#dropOldest();
    this.#catchingUp ??= catchingUp();
    return this.#catchingUp.done;
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

  #dropOldest(): void {
    const oldest = this.#ready.findIndex(this.#mayDrop);
    if (oldest < 0) return;
    this.#ready.splice(oldest, 1);
    this.dropped++;
  }

  #release(): void {
    this.#catchingUp?.resolve();
    this.#catchingUp = undefined;
  }
}

function catchingUp(): CatchingUp {
  let resolve: () => void = () => {};
  const done = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { done, resolve };
}
