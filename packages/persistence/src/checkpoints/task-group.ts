import { type TaskWrites, throwIfAborted } from "@tinyagents/core";

/** What one call wants to have kept, and how it is told. */
export interface WantedTask {
  readonly checkpointId: string;
  readonly task: TaskWrites;
  readonly fence: number;
  readonly signal: AbortSignal | undefined;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * What many tasks leave at the same time, put together: while one write is under way, those that come meanwhile wait for
 * the next, and share it.
 */
export class TaskGroup {
  readonly #write: (wanted: readonly WantedTask[]) => Promise<void>;
  #waiting: WantedTask[] = [];
  #writing = false;

  /** `write` tells every one of them what came of it, or rejects, which goes for those that were not told. */
  constructor(write: (wanted: readonly WantedTask[]) => Promise<void>) {
    this.#write = write;
  }

  /** Nothing is under way. */
  get idle(): boolean {
    return !this.#writing;
  }

  add(wanted: Omit<WantedTask, "resolve" | "reject">): Promise<void> {
    return new Promise((resolve, reject) => {
      throwIfAborted(wanted.signal);
      this.#waiting.push({ ...wanted, resolve, reject });
      if (!this.#writing) void this.#writeAll();
    });
  }

  async #writeAll(): Promise<void> {
    this.#writing = true;
    while (this.#waiting.length > 0) {
      const wanted = this.#waiting;
      this.#waiting = [];
      await this.#write(wanted).catch((error: unknown) => {
        for (const one of wanted) one.reject(error);
      });
    }
    this.#writing = false;
  }
}
