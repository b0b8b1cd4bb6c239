import { abortError, isTinyAgentsError, onAbort, type TaskWrites, throwIfAborted } from "@tinyagents/core";

/** What one call wants to have kept. */
export interface TaskToKeep {
  readonly checkpointId: string;
  readonly task: TaskWrites;
  readonly fence: number;
}

/** The same, and how the call is told. */
export interface WantedTask extends TaskToKeep {
  readonly signal: AbortSignal | undefined;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * What many tasks leave at the same time, put together: while one write is under way, those that come meanwhile wait for
 * the next, and share it. Who stops waiting does not stop it for the others.
 */
export class TaskGroup {
  readonly #write: (wanted: readonly WantedTask[], signal: AbortSignal | undefined) => Promise<void>;
  /** Those whose write has not begun. */
  #waiting = new Set<WantedTask>();
  /** Those of the write that is under way and are still there. */
  #served = new Set<WantedTask>();
  /** Ends the write that is under way; absent where somebody has no signal, and so waits to its end. */
  #stop: AbortController | undefined;
  #isWriting = false;

  /** `write` tells every one of them what came of it, or rejects, which goes for those that were not told. */
  constructor(write: (wanted: readonly WantedTask[], signal: AbortSignal | undefined) => Promise<void>) {
    this.#write = write;
  }

  /** Nothing is under way. */
  get idle(): boolean {
    return !this.#isWriting;
  }

  add({ checkpointId, task, fence }: TaskToKeep, signal: AbortSignal | undefined): Promise<void> {
    throwIfAborted(signal);
    let unlink: (() => void) | undefined;
    const kept = new Promise<void>((resolve, reject) => {
      const one: WantedTask = { checkpointId, task, fence, signal, resolve, reject };
      this.#waiting.add(one);
      if (signal !== undefined) {
        unlink = onAbort(signal, () => {
          reject(abortError(signal));
          this.#letGo(one);
        });
      }
      if (!this.#isWriting) void this.#writeAll();
    });
    return unlink === undefined ? kept : kept.finally(unlink);
  }

  #letGo(one: WantedTask): void {
    if (this.#waiting.delete(one) || !this.#served.delete(one)) return;
    if (this.#served.size === 0) this.#stop?.abort();
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    while (this.#waiting.size > 0) {
      this.#served = this.#waiting;
      this.#waiting = new Set();
      const wanted = [...this.#served];
      const [first, ...others] = wanted;
      const isOne = others.length === 0;
      this.#stop = isOne || wanted.some(({ signal }) => signal === undefined) ? undefined : new AbortController();
      try {
        await this.#write(wanted, isOne ? first?.signal : this.#stop?.signal);
      } catch (error) {
        if (isOne || !isTinyAgentsError(error, "invalid_request")) for (const one of wanted) one.reject(error);
        else await this.#writeAlone(wanted);
      }
    }
    this.#served.clear();
    this.#isWriting = false;
  }

  /** What was refused together may be too much only together, or be refused for one of them. */
  async #writeAlone(wanted: readonly WantedTask[]): Promise<void> {
    for (const one of wanted) await this.#write([one], one.signal).catch(one.reject);
  }
}
