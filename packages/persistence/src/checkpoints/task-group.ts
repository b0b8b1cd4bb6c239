import { abortError, onAbort, type TaskWrites, throwIfAborted } from "@tinyagents/core";

/** What one call wants to have kept, and how it is told. */
export interface WantedTask {
  readonly checkpointId: string;
  readonly task: TaskWrites;
  readonly fence: number;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * What many tasks leave at the same time, put together: while one write is under way, those that come meanwhile wait for
 * the next, and share it. Who stops waiting does not stop it for the others.
 */
export class TaskGroup {
  readonly #write: (wanted: readonly WantedTask[], signal: AbortSignal) => Promise<void>;
  /** Those whose write has not begun. */
  #waiting = new Set<WantedTask>();
  /** Those of the write that is under way and are still there. */
  #served = new Set<WantedTask>();
  #underWay: AbortController | undefined;

  /** `write` tells every one of them what came of it, or rejects, which goes for those that were not told. */
  constructor(write: (wanted: readonly WantedTask[], signal: AbortSignal) => Promise<void>) {
    this.#write = write;
  }

  /** Nothing is under way. */
  get idle(): boolean {
    return this.#underWay === undefined;
  }

  async add(wanted: Omit<WantedTask, "resolve" | "reject">, signal: AbortSignal | undefined): Promise<void> {
    throwIfAborted(signal);
    let unlink: (() => void) | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        const one: WantedTask = { ...wanted, resolve, reject };
        this.#waiting.add(one);
        unlink = onAbort(signal, () => {
          reject(abortError(signal));
          this.#letGo(one);
        });
        if (this.idle) void this.#writeAll();
      });
    } finally {
      unlink?.();
    }
  }

  #letGo(one: WantedTask): void {
    if (this.#waiting.delete(one) || !this.#served.delete(one)) return;
    if (this.#served.size === 0) this.#underWay?.abort();
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.size > 0) {
      this.#served = this.#waiting;
      this.#waiting = new Set();
      this.#underWay = new AbortController();
      const wanted = [...this.#served];
      await this.#write(wanted, this.#underWay.signal).catch((error: unknown) => {
        for (const one of wanted) one.reject(error);
      });
    }
    this.#served.clear();
    this.#underWay = undefined;
  }
}
