type Awaitable<T> = T | Promise<T>;

/**
 * Passes items from a run to the one reader who pulls them. One item may lie ready; a run that is ahead of its reader
 * by more waits, so nothing piles up and nothing is lost.
 */
export class Handoff<T> {
  readonly #ready: T[] = [];
  #reader:
    | { readonly resolve: (result: IteratorResult<T, undefined>) => void; readonly reject: (error: unknown) => void }
    | undefined;
  #released: (() => void) | undefined;
  #end: { readonly error?: unknown } | undefined;

  /** Gives an item. A promise holds the writer until the reader has caught up. */
  push(item: T): Awaitable<void> {
    if (this.#end !== undefined) return;
    const reader = this.#reader;
    if (reader !== undefined) {
      this.#reader = undefined;
      reader.resolve({ value: item, done: false });
      return;
    }
    this.#ready.push(item);
    if (this.#ready.length === 1) return;
    return new Promise<void>((resolve) => {
      const before = this.#released;
      this.#released = () => {
        before?.();
        resolve();
      };
    });
  }

  /** No further items: the reader gets those that are ready, then the end, or the error. */
  end(end: { readonly error?: unknown } = {}): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    const reader = this.#reader;
    this.#reader = undefined;
    if (reader === undefined) return;
    if ("error" in end) {
      this.#end = {};
      reader.reject(end.error);
    } else reader.resolve({ value: undefined, done: true });
  }

  /** Drops what is ready and lets a waiting writer go: nobody reads any more. */
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
    const end = this.#end;
    if (end === undefined) {
      return new Promise((resolve, reject) => {
        this.#reader = { resolve, reject };
      });
    }
    if ("error" in end) {
      this.#end = {};
      return Promise.reject(end.error);
    }
    return Promise.resolve({ value: undefined, done: true });
  }

  #release(): void {
    const released = this.#released;
    this.#released = undefined;
    released?.();
  }
}
