import { abortError, onAbort, throwIfAborted } from "@tinyagents/core";
import type { FolderLock } from "./folder-lock.js";
import type { Outcome, Target } from "./target.js";

/** Some target, of whatever operations. */
type AnyTarget = Target<unknown, unknown>;

/** An operation that waits for its turn. */
interface Waiting {
  readonly target: AnyTarget;
  readonly operation: unknown;
  readonly bytes: number;
  /** Tells its caller, and takes its listener away. */
  settle(outcome: Outcome<unknown>): void;
}

/** On what terms an operation waits. */
export interface SubmitOptions {
  /** About how much it will write. */
  readonly bytes: number;
  /** Takes the operation away while it waits; one that was begun is done whole. */
  readonly signal?: AbortSignal | undefined;
}

/** What one write holds at most, bytes, unless one operation is larger. */
const BURST_BYTES = 8 * 1024 * 1024;
/** How many files are kept open from one write to the next. */
const MOST_OPEN = 64;
/** How many files are written, and synced, at once. */
const FILES_AT_ONCE = 8;

/** Lets all that was asked for meanwhile share one hold of the lock, and one write and sync of each file. */
export class CommitQueue {
  readonly #lock: FolderLock;
  /** Done once, under the lock, before anything else. */
  readonly #begin: () => Promise<void>;
  #begun = false;
  #waiting = new Set<Waiting>();
  #running: Promise<void> | undefined;

  constructor(lock: FolderLock, begin: () => Promise<void>) {
    this.#lock = lock;
    this.#begin = begin;
  }

  /** Resolves with what the target made of the operation, when that is written. */
  submit<Operation, Result>(
    target: Target<Operation, Result>,
    operation: Operation,
    { bytes, signal }: SubmitOptions,
  ): Promise<Result> {
    throwIfAborted(signal);
    return new Promise<Result>((resolve, reject) => {
      const waiting: Waiting = {
        target: target as AnyTarget,
        operation,
        bytes,
        settle(outcome) {
          unlink();
          if ("error" in outcome) reject(outcome.error);
          else resolve(outcome.value as Result);
        },
      };
      this.#waiting.add(waiting);
      const unlink = onAbort(signal, () => {
        if (this.#waiting.delete(waiting)) waiting.settle({ error: abortError(signal) });
      });
      this.#running ??= this.#run();
    });
  }

  /** Lets go of the lock for good, when nothing waits any more. */
  async close(): Promise<void> {
    await this.#running;
    await this.#lock.close();
  }

  async #run(): Promise<void> {
    while (this.#waiting.size > 0) {
      try {
        if (await this.#lock.acquire(() => this.#waiting.size > 0)) await this.#hold();
      } catch (error) {
        for (const waiting of this.#take(Number.POSITIVE_INFINITY)) waiting.settle({ error });
      }
    }
    this.#running = undefined;
  }

  /** Writes all that waits, and what comes meanwhile, until nothing does or it is the turn of another process. */
  async #hold(): Promise<void> {
    const used = new Set<AnyTarget>();
    try {
      if (!this.#begun) await this.#begin();
      this.#begun = true;
      do {
        if (!(await this.#lock.isMine())) return;
        await this.#burst(this.#take(BURST_BYTES), used);
        if (used.size > MOST_OPEN) await letGoOf(used);
        // Who writes one thing after another asks for the next as soon as it is told of the last.
        if (this.#waiting.size === 0) await nextTurn();
      } while (this.#waiting.size > 0 && !(await this.#lock.shouldYield()));
    } finally {
      await letGoOf(used);
      await this.#lock.release();
    }
  }

  async #burst(burst: readonly Waiting[], used: Set<AnyTarget>): Promise<void> {
    const byTarget = new Map<AnyTarget, Waiting[]>();
    for (const waiting of burst) {
      const same = byTarget.get(waiting.target);
      if (same === undefined) byTarget.set(waiting.target, [waiting]);
      else same.push(waiting);
    }
    const areMany = byTarget.size > MOST_OPEN;
    const targets = byTarget.entries();
    const work = async (): Promise<void> => {
      for (const [target, waiting] of targets) {
        used.add(target);
        await commit(target, waiting);
        // What cannot be tidied is as it was, and is tried again when the file has grown: no caller waits for it.
        await target.tidy().catch(() => undefined);
        if (areMany) await letGoOf(used, target);
      }
    };
    await Promise.all(Array.from({ length: FILES_AT_ONCE }, work));
  }

  /** The oldest that wait, up to so many bytes, and at least one. */
  #take(mostBytes: number): readonly Waiting[] {
    const taken: Waiting[] = [];
    let bytes = 0;
    for (const waiting of this.#waiting) {
      if (taken.length > 0 && bytes + waiting.bytes > mostBytes) break;
      taken.push(waiting);
      bytes += waiting.bytes;
      this.#waiting.delete(waiting);
    }
    return taken;
  }
}

async function commit(target: AnyTarget, waiting: readonly Waiting[]): Promise<void> {
  try {
    const outcomes = await target.commit(waiting.map(({ operation }) => operation));
    for (const [index, { settle }] of waiting.entries()) settle(outcomes[index] as Outcome<unknown>);
  } catch (error) {
    for (const { settle } of waiting) settle({ error });
  }
}

/** All of them, or one. */
async function letGoOf(used: Set<AnyTarget>, only?: AnyTarget): Promise<void> {
  for (const target of only === undefined ? [...used] : [only]) {
    used.delete(target);
    await target.letGo();
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
