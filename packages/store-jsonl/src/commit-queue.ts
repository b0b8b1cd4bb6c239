import { abortError, onAbort, throwIfAborted } from "@tinyagents/core";
import type { FolderLock } from "./folder-lock.js";
import type { Outcome, Target } from "./target.js";

/** Some target, of whatever operations. */
type AnyTarget = Target<unknown, unknown>;

/** An operation that waits for its turn. */
interface Waiting {
  readonly operation: unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** Takes the listener of its signal away. */
  unlink: () => void;
  /** Its caller gave up, and was told. */
  isGone: boolean;
}

/** What is written together: the operations of each target, in the order in which they were asked for. */
interface Burst {
  readonly byTarget: Map<AnyTarget, Waiting[]>;
  /** About how much that is. */
  bytes: number;
}

/** On what terms an operation waits. */
export interface SubmitOptions {
  /** About how much it will write. */
  readonly bytes: number;
  /** Takes the operation away while it waits; one that was begun is done whole. */
  readonly signal?: AbortSignal | undefined;
}

export interface CommitQueueOptions {
  readonly lock: FolderLock;
  /** Resolves when the folders are there. */
  readonly opened: () => Promise<void>;
  /** Done once, under the lock, before anything else. */
  readonly begin: () => Promise<void>;
}

/** What one write holds at most, bytes, unless one operation is larger. */
const BURST_BYTES = 8 * 1024 * 1024;
/** How many files are kept open from one write to the next. */
const MOST_OPEN = 64;
/** How many files are written, and synced, at once. */
const FILES_AT_ONCE = 8;

/** Lets all that was asked for meanwhile share one hold of the lock, and one write and sync of each file. */
export class CommitQueue {
  readonly #o: CommitQueueOptions;
  #begun = false;
  /** The oldest first; the last may still be added to. */
  readonly #bursts: Burst[] = [];
  /** How many operations are in the bursts, without those that are gone. */
  #waiting = 0;
  /** The targets of the burst that is written, and those that are kept open. */
  readonly #used = new Set<AnyTarget>();
  #running: Promise<void> | undefined;

  constructor(options: CommitQueueOptions) {
    this.#o = options;
  }

  /** Whether there is work for the target, or it is kept open: then there may be no other for the same file. */
  isUsing(target: Target<never, unknown>): boolean {
    const one = target as AnyTarget;
    return this.#used.has(one) || this.#bursts.some(({ byTarget }) => byTarget.has(one));
  }

  /** Resolves with what the target made of the operation, when that is written. Takes its place in the order at once. */
  submit<Operation, Result>(
    target: Target<Operation, Result>,
    operation: Operation,
    { bytes, signal }: SubmitOptions,
  ): Promise<Result> {
    throwIfAborted(signal);
    return new Promise<Result>((resolve, reject) => {
      const waiting: Waiting = {
        operation,
        resolve: resolve as (value: unknown) => void,
        reject,
        unlink: nothing,
        isGone: false,
      };
      this.#add(target as AnyTarget, waiting, bytes);
      if (signal !== undefined) waiting.unlink = onAbort(signal, () => this.#giveUp(waiting, signal));
      this.#running ??= this.#run();
    });
  }

  /** Lets go of the lock for good, when nothing waits any more. */
  async close(): Promise<void> {
    await this.#running;
    await this.#o.lock.close();
  }

  #add(target: AnyTarget, waiting: Waiting, bytes: number): void {
    let burst = this.#bursts.at(-1);
    if (burst === undefined || burst.bytes + bytes > BURST_BYTES) {
      burst = { byTarget: new Map(), bytes: 0 };
      this.#bursts.push(burst);
    }
    burst.bytes += bytes;
    const same = burst.byTarget.get(target);
    if (same === undefined) burst.byTarget.set(target, [waiting]);
    else same.push(waiting);
    this.#waiting++;
  }

  #giveUp(waiting: Waiting, signal: AbortSignal): void {
    waiting.isGone = true;
    this.#waiting--;
    waiting.reject(abortError(signal));
  }

  async #run(): Promise<void> {
    const { lock, opened } = this.#o;
    while (this.#waiting > 0) {
      try {
        await opened();
        if (await lock.acquire(() => this.#waiting > 0)) await this.#hold();
      } catch (error) {
        while (this.#bursts.length > 0) for (const [, waiting] of this.#take()) refuse(waiting, error);
      }
    }
    // Those that are left are gone.
    this.#bursts.length = 0;
    this.#running = undefined;
  }

  /** Writes all that waits, and what comes meanwhile, until nothing does or it is the turn of another process. */
  async #hold(): Promise<void> {
    const { lock, begin } = this.#o;
    try {
      if (!this.#begun) await begin();
      this.#begun = true;
      do {
        if (!(await lock.isMine())) return;
        await this.#write(this.#take());
        if (this.#used.size > MOST_OPEN) await this.#letGoOf(this.#used);
        // Who writes one thing after another asks for the next as soon as it is told of the last.
        if (this.#waiting === 0) await nextTurn();
      } while (this.#waiting > 0 && !(await lock.shouldYield()));
    } finally {
      await this.#letGoOf(this.#used);
      await lock.release();
    }
  }

  /** The oldest burst, without what is gone. What is in it can be given up no more. */
  #take(): ReadonlyMap<AnyTarget, readonly Waiting[]> {
    const taken = new Map<AnyTarget, readonly Waiting[]>();
    for (const [target, all] of this.#bursts.shift()?.byTarget ?? []) {
      const waiting = all.filter(({ isGone }) => !isGone);
      for (const { unlink } of waiting) unlink();
      this.#waiting -= waiting.length;
      if (waiting.length > 0) taken.set(target, waiting);
    }
    return taken;
  }

  async #write(burst: ReadonlyMap<AnyTarget, readonly Waiting[]>): Promise<void> {
    for (const target of burst.keys()) this.#used.add(target);
    const areMany = burst.size > MOST_OPEN;
    const entries = burst.entries();
    const work = async (): Promise<void> => {
      for (const [target, waiting] of entries) {
        await commit(target, waiting);
        // What cannot be tidied is as it was, and is tried again when the file has grown: no caller waits for it.
        await target.tidy().catch(nothing);
        if (areMany) await this.#letGoOf([target]);
      }
    };
    await Promise.all(Array.from({ length: Math.min(FILES_AT_ONCE, burst.size) }, work));
  }

  async #letGoOf(targets: Iterable<AnyTarget>): Promise<void> {
    for (const target of targets) {
      await target.letGo();
      this.#used.delete(target);
    }
  }
}

async function commit(target: AnyTarget, waiting: readonly Waiting[]): Promise<void> {
  try {
    const outcomes = await target.commit(waiting.map(({ operation }) => operation));
    for (let i = 0; i < waiting.length; i++) settle(waiting[i] as Waiting, outcomes[i] as Outcome<unknown>);
  } catch (error) {
    refuse(waiting, error);
  }
}

function settle({ resolve, reject }: Waiting, outcome: Outcome<unknown>): void {
  if ("error" in outcome) reject(outcome.error);
  else resolve(outcome.value);
}

function refuse(waiting: readonly Waiting[], error: unknown): void {
  for (const { reject } of waiting) reject(error);
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function nothing(): void {}
